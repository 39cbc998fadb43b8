#include "e2e/world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

namespace rollcall::e2e {
namespace {

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string run(const std::string& command, int& status) {
  std::string output;
  std::array<char, 4096> chunk{};
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) {
    status = -1;
    return "popen failed";
  }
  while (const auto n = std::fread(chunk.data(), 1, chunk.size(), pipe)) output.append(chunk.data(), n);
  const int ended = pclose(pipe);
  status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return output;
}

std::string unique_suffix() {
  std::random_device random;
  return fmt::format("{:06x}", random() & 0xffffffU);
}

const Json& condition_object(const Json& job, const std::string& type) {
  static const Json none = Json::object();
  if (!job.contains("status") || !job["status"].contains("conditions")) return none;
  for (const auto& c : job["status"]["conditions"]) {
    if (c.value("type", "") == type) return c;
  }
  return none;
}

}  // namespace

Json training_job(const std::string& name, const JobOptions& options) {
  Json trainer = {
      {"name", "trainer"},
      {"image", options.image},
      {"imagePullPolicy", "IfNotPresent"},
      {"args", options.args},
      {"env", Json::array({{{"name", "OWN_ADDR"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}}})}};
  if (!options.command.empty()) trainer["command"] = options.command;
  trainer.merge_patch(options.trainer);
  Json pod_spec = {
      {"restartPolicy", "Never"}, {"terminationGracePeriodSeconds", 1}, {"containers", Json::array({trainer})}};
  Json metadata = {{"labels", {{"e2e-job", name}}}};
  if (options.spread) {
    pod_spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] = Json::array(
        {{{"topologyKey", "kubernetes.io/hostname"}, {"labelSelector", {{"matchLabels", {{"e2e-job", name}}}}}}});
  }
  pod_spec.merge_patch(options.pod_spec);
  Json spec = {{"nnodes", options.nnodes}, {"template", {{"metadata", metadata}, {"spec", pod_spec}}}};
  if (!options.roll_call.empty()) spec["rollCall"] = options.roll_call;
  spec.merge_patch(options.spec);
  return {
      {"apiVersion", "rollcall.dev/v1alpha1"}, {"kind", "TrainingJob"}, {"metadata", {{"name", name}}}, {"spec", spec}};
}

std::unique_ptr<World> World::make(const Json& namespace_labels) {
  const char* kubeconfig = std::getenv("KUBECONFIG");
  if (!kubeconfig || !*kubeconfig) return nullptr;
  static std::once_flag once;
  std::call_once(once, [] { kube::initialize(2); });
  auto credentials = kube::kubeconfig_credentials(kubeconfig);
  if (!credentials) {
    ADD_FAILURE() << credentials.error().message;
    return nullptr;
  }
  auto client = kube::Client::make(*credentials);
  if (!client) {
    ADD_FAILURE() << client.error().message;
    return nullptr;
  }
  auto world = std::unique_ptr<World>(new World);
  world->api_ = std::move(client).value();
  world->ns_ = "rollcall-e2e-" + unique_suffix();
  const kube::Resource namespaces{"", "v1", "namespaces", false};
  Json object = {
      {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", world->ns_}, {"labels", namespace_labels}}}};
  const auto made = world->api_->create(namespaces, "", object);
  if (!made) ADD_FAILURE() << made.error().text();
  // A pod needs the namespace's default service account, which the controller manager makes.
  const kube::Resource accounts{"", "v1", "serviceaccounts", true};
  EXPECT_TRUE(eventually(seconds(20), [&] { return world->api_->get(accounts, world->ns_, "default").ok(); }));
  return world;
}

World::~World() {
  if (testing::Test::HasFailure()) {
    const auto jobs = api_->list(kube::kTrainingJobs, ns_);
    if (jobs) {
      for (const auto& job : jobs.value()["items"]) {
        std::printf("job %s: %s\n", job["metadata"]["name"].get<std::string>().c_str(),
                    job.value("status", Json()).dump(1).c_str());
        for (const auto& pod : pods(job["metadata"]["name"])) {
          const std::string name = pod["metadata"]["name"];
          std::printf("--- log of %s -c rollcall\n%s\n", name.c_str(), log(name, "rollcall").c_str());
        }
      }
    }
  }
  const kube::Resource namespaces{"", "v1", "namespaces", false};
  static_cast<void>(api_->remove(namespaces, "", ns_));
}

void World::create(const kube::Resource& resource, Json object) {
  const auto made = api_->create(resource, ns_, object);
  ASSERT_TRUE(made.ok()) << made.error().text();
}

void World::start(const Json& job) { create(kube::kTrainingJobs, job); }

Json World::job(const std::string& name) {
  const auto got = api_->get(kube::kTrainingJobs, ns_, name);
  return got ? got.value() : Json::object();
}

Json World::roll_call(const std::string& job, int attempt) {
  const auto got = api_->get(kube::kRollCalls, ns_, fmt::format("tj-{}-{}", job, attempt));
  return got ? got.value() : Json();
}

std::vector<Json> World::pods(const std::string& job) {
  const auto listed = api_->list(kube::kPods, ns_, {{"labelSelector", "rollcall.dev/job-name=" + job}});
  std::vector<Json> found;
  if (!listed) return found;
  for (const auto& pod : listed.value()["items"]) found.push_back(pod);
  const auto rank = [](const Json& pod) {
    return std::stoi(pod["metadata"]["labels"].value("rollcall.dev/node-rank", "0"));
  };
  std::sort(found.begin(), found.end(), [&](const Json& a, const Json& b) { return rank(a) < rank(b); });
  return found;
}

std::string World::log(const std::string& pod, const std::string& container) {
  const auto text = api_->raw_text(fmt::format("/api/v1/namespaces/{}/pods/{}/log?container={}", ns_, pod, container));
  return text ? *text : "(no log: " + text.error().message + ")";
}

bool World::eventually(seconds limit, const std::function<bool()>& seen) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!seen()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

Json World::wait_for(const std::string& name, const std::string& what, seconds limit,
                     const std::function<bool(const Json&)>& seen) {
  Json last;
  const bool came = eventually(limit, [&] {
    last = job(name);
    return seen(last);
  });
  EXPECT_TRUE(came) << name << ": not seen within " << limit.count() << " s: " << what << "; last: " << phase(last)
                    << ": " << message(last);
  return last;
}

Json World::wait_for_phase(const std::string& name, const std::string& wanted, seconds limit) {
  return wait_for(name, "phase " + wanted, limit, [&](const Json& job) { return phase(job) == wanted; });
}

void World::annotate(const std::string& name, const std::string& key, const std::string& value) {
  const auto patched =
      api_->merge_patch(kube::kTrainingJobs, ns_, name, {{"metadata", {{"annotations", {{key, value}}}}}});
  ASSERT_TRUE(patched.ok()) << patched.error().text();
}

std::vector<Json> World::events(const std::string& object_name) {
  const auto listed = api_->list(kube::kEvents, ns_, {{"fieldSelector", "involvedObject.name=" + object_name}});
  std::vector<Json> found;
  if (!listed) return found;
  for (const auto& event : listed.value()["items"]) found.push_back(event);
  return found;
}

std::string cluster(const std::vector<std::string>& arguments) {
  std::string command = quoted(std::string(ROLLCALL_SOURCE_DIR) + "/dev/cluster");
  for (const auto& argument : arguments) command += " " + quoted(argument);
  int status = 0;
  const std::string output = run(command, status);
  EXPECT_EQ(status, 0) << command << "\n" << output;
  return output;
}

int node_number(const std::string& node_name) {
  const auto digits = node_name.find_last_not_of("0123456789");
  return std::stoi(node_name.substr(digits + 1));
}

NodeRule::NodeRule(int node, std::string chain, std::vector<std::string> rule)
    : node_(node), chain_(std::move(chain)), rule_(std::move(rule)) {
  std::vector<std::string> command{"node", std::to_string(node_), "iptables", "-w", "-I", chain_};
  command.insert(command.end(), rule_.begin(), rule_.end());
  cluster(command);
  standing_ = true;
}

void NodeRule::remove() {
  if (!standing_) return;
  standing_ = false;
  std::vector<std::string> command{"node", std::to_string(node_), "iptables", "-w", "-D", chain_};
  command.insert(command.end(), rule_.begin(), rule_.end());
  cluster(command);
}

NodeRule::~NodeRule() { remove(); }

NodeRule wall_between_nodes(int from, int to) {
  // Pods of node N are in 10.210.N.0/24: docs/local-cluster.md.
  const std::string pods = fmt::format("10.210.{}.0/24", from);
  return {to, "FORWARD", {"-s", pods, "-p", "tcp", "--syn", "--dport", "32768:60999", "-j", "DROP"}};
}

NodeProcess::NodeProcess(int node, const std::vector<std::string>& command) {
  std::vector<std::string> words{std::string(ROLLCALL_SOURCE_DIR) + "/dev/cluster", "node", std::to_string(node)};
  words.insert(words.end(), command.begin(), command.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  setpgid(0, 0);
  execv(argv[0], argv.data());
  _exit(127);
}

NodeProcess::~NodeProcess() {
  if (pid_ <= 0) return;
  setpgid(pid_, pid_);
  kill(-pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

std::optional<std::string> printed(const std::string& log, const std::string& key) {
  const auto at = log.find(" " + key + "=");
  if (at == std::string::npos) return std::nullopt;
  const auto from = at + key.size() + 2;
  return log.substr(from, log.find_first_of(" \n", from) - from);
}

std::string phase(const Json& job) { return job.contains("status") ? job["status"].value("phase", "") : ""; }
std::string message(const Json& job) { return job.contains("status") ? job["status"].value("message", "") : ""; }
std::string condition(const Json& job, const std::string& type) {
  return condition_object(job, type).value("status", "");
}
std::string condition_reason(const Json& job, const std::string& type) {
  return condition_object(job, type).value("reason", "");
}

}  // namespace rollcall::e2e
