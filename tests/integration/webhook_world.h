#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "kube/client.h"

/// The webhook as a program behind a real API server, named by KUBECONFIG, which must run on this machine: it calls
/// back.
namespace rollcall::webhook_test {

using kube::Json;

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Asks again until it is so; the bound only matters when the test fails.
template <class Condition>
bool eventually(Condition condition, std::chrono::seconds longest = std::chrono::seconds(20)) {
  const auto until = std::chrono::steady_clock::now() + longest;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
  }
  return true;
}

inline std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  char chunk[4096];
  for (std::size_t n = 0; (n = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;) out.append(chunk, n);
  ::pclose(pipe);
  return out;
}

/// rollcall-webhook on free ports, with a certificate for the address the API server calls.
class Program {
 public:
  Program(const std::string& dir, const std::string& host, const char* kubeconfig) : log_file_(dir + "/log") {
    const std::string make =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout " + dir + "/tls.key -out " +
        dir + "/tls.crt -subj /CN=rollcall-webhook -days 1 -addext subjectAltName=IP:" + host + " 2>/dev/null";
    EXPECT_EQ(std::system(make.c_str()), 0);
    ca = contents(dir + "/tls.crt");
    pid_ = ::fork();
    if (pid_ == 0) {
      const int log = ::open(log_file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(log, 2);
      const std::string path = std::string(ROLLCALL_BIN_DIR) + "/rollcall-webhook";
      ::execl(path.c_str(), path.c_str(), "--port", "0", "--tls-dir", dir.c_str(), "--health-port", "0",
              "--metrics-port", "0", "--kubeconfig", kubeconfig, "--shutdown-delay", "0", nullptr);
      ::_exit(127);
    }
    const bool started = eventually([this] {
      const auto line = started_line();
      if (!line.is_object()) return false;
      port = line["port"];
      health_port = line["health_port"];
      metrics_port = line["metrics_port"];
      return true;
    });
    EXPECT_TRUE(started) << contents(log_file_);
    EXPECT_TRUE(eventually([this] { return get(health_port, "/readyz") == "ok\n"; })) << get(health_port, "/readyz");
  }
  ~Program() {
    if (pid_ > 0) end();
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Its exit status.
  int end() {
    ::kill(pid_, SIGTERM);
    int status = -1;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }
  static std::string get(int at, const std::string& path) {
    return output_of("curl -s --max-time 5 http://127.0.0.1:" + std::to_string(at) + path);
  }
  std::string log() const { return contents(log_file_); }

  std::string ca;
  int port = 0, health_port = 0, metrics_port = 0;

 private:
  Json started_line() const {
    std::istringstream lines(contents(log_file_));
    for (std::string line; std::getline(lines, line);) {
      auto json = Json::parse(line, nullptr, false);
      if (json.is_object() && json.value("msg", "") == "webhook started") return json;
    }
    return nullptr;
  }

  const std::string log_file_;
  pid_t pid_ = -1;
};

/// A namespace of its own with a label of its own, which the webhook's configuration and policies select.
class Webhook : public testing::Test {
 protected:
  static constexpr auto kLabel = "webhook.test/run";
  const std::string rule_ = "gpu/more-processes-than-gpus";

  void SetUp() override {
    const char* kubeconfig = std::getenv("KUBECONFIG");
    if (kubeconfig == nullptr || *kubeconfig == '\0') {
      GTEST_SKIP() << "KUBECONFIG is not set: no API server to test against (dev/cluster up prints the line to export)";
    }
    const auto credentials = kube::kubeconfig_credentials();
    ASSERT_TRUE(credentials.ok()) << credentials.error().message;
    auto made = kube::Client::make(*credentials);
    ASSERT_TRUE(made.ok()) << made.error().message;
    client_ = std::move(*made);
    // An API server that just got the CRDs answers 429 for a moment.
    kube::Reply listed = kube::ApiError{};
    eventually([&] {
      listed = client_->list(kube::kRollcallPolicies, "");
      return listed.ok() || listed.error().http != 429;
    });
    if (!listed)
      GTEST_SKIP() << "the CRDs are not installed (kubectl apply -f charts/rollcall/files/crds): "
                   << listed.error().text();
    static int tests = 0;
    run_ = "webhook-test-" + std::to_string(getpid()) + '-' + std::to_string(++tests);
    make_namespace(run_);
    dir_ = std::filesystem::temp_directory_path() / run_;
    std::filesystem::create_directory(dir_);
    host_ = credentials->server.substr(8, credentials->server.rfind(':') - 8);
    program_ = std::make_unique<Program>(dir_.string(), host_, kubeconfig);
  }

  void TearDown() override {
    if (!client_ || run_.empty()) return;
    for (const auto& resource : {kube::kWebhookConfigurations, kube::kRollcallPolicies}) {
      const auto removed = client_->remove(resource, "", run_);
      EXPECT_TRUE(removed.ok() || removed.error().not_found()) << removed.error().text();
    }
    for (const std::string& ns : namespaces_) {
      const auto removed = client_->remove(kube::kNamespaces, "", ns);
      EXPECT_TRUE(removed.ok()) << removed.error().text();
    }
    program_.reset();
    std::filesystem::remove_all(dir_);
  }

  void make_namespace(const std::string& name) {
    const auto created = client_->create(
        kube::kNamespaces, "",
        {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}, {"labels", {{kLabel, run_}}}}}});
    ASSERT_TRUE(created.ok()) << created.error().text();
    namespaces_.push_back(name);
  }

  /// Lets the API server ask the program; returns when it does.
  void configure(const std::string& failure_policy = "Fail", const std::string& path = "/validate") {
    Json webhook = Json::parse(R"({
      "name": "trainingjobs.webhook.test", "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 5,
      "rules": [{"apiGroups": ["rollcall.dev"], "apiVersions": ["v1alpha1"], "resources": ["trainingjobs", "trainingjobs/status"],
                 "operations": ["CREATE", "UPDATE", "DELETE"], "scope": "Namespaced"}]})");
    webhook["failurePolicy"] = failure_policy;
    webhook["namespaceSelector"]["matchLabels"][kLabel] = run_;
    webhook["clientConfig"] = {{"url", "https://" + host_ + ":" + std::to_string(program_->port) + path},
                               {"caBundle", base64(program_->ca)}};
    const auto created = client_->create(kube::kWebhookConfigurations, "",
                                         {{"apiVersion", "admissionregistration.k8s.io/v1"},
                                          {"kind", "ValidatingWebhookConfiguration"},
                                          {"metadata", {{"name", run_}}},
                                          {"webhooks", Json::array({webhook})}});
    ASSERT_TRUE(created.ok()) << created.error().text();
    if (path != "/validate" || failure_policy != "Fail") return;
    ASSERT_TRUE(eventually([this] {
      const auto asked = try_create(job("asked", 8, 4));
      return !asked.ok() && asked.error().message.find("trainingjobs.webhook.test") != std::string::npos;
    })) << "the API server does not ask the webhook\n"
        << program_->log();
  }

  void set_policy(const std::string& severity) {
    Json policy = {{"apiVersion", "rollcall.dev/v1alpha1"},
                   {"kind", "RollcallPolicy"},
                   {"metadata", {{"name", run_}}},
                   {"spec", {{"severities", Json::array({{{"rule", rule_}, {"severity", severity}}})}}}};
    policy["spec"]["namespaceSelector"]["matchLabels"][kLabel] = run_;
    const auto created = client_->create(kube::kRollcallPolicies, "", policy);
    ASSERT_TRUE(created.ok()) << created.error().text();
  }

  static std::string base64(const std::string& text) {
    static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < text.size(); i += 3) {
      unsigned long group = 0;
      for (std::size_t j = 0; j < 3; ++j)
        group = group << 8 | (i + j < text.size() ? static_cast<unsigned char>(text[i + j]) : 0U);
      for (std::size_t j = 0; j < 4; ++j) out += i + j > text.size() ? '=' : kLetters[group >> (18 - 6 * j) & 63];
    }
    return out;
  }

  /// Suspended, so that no operator acts on it.
  Json job(const std::string& name, int processes, int gpus) const {
    Json object = Json::parse(R"({
      "apiVersion": "rollcall.dev/v1alpha1", "kind": "TrainingJob",
      "spec": {"nnodes": 2, "suspend": true, "template": {"spec": {"containers": [
        {"name": "trainer", "image": "registry.example/train:1", "command": ["torchrun", "train.py"]}]}}}})");
    object["metadata"] = {{"name", name}, {"namespace", run_}};
    object["spec"]["nprocPerNode"] = processes;
    object["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = gpus;
    return object;
  }
  kube::Reply try_create(const Json& object) {
    return client_->create(kube::kTrainingJobs, object["metadata"]["namespace"].get<std::string>(), object,
                           {.dry_run = true});
  }
  kube::Reply patch(const std::string& name, const Json& change) {
    return client_->merge_patch(kube::kTrainingJobs, run_, name, change);
  }

  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<Program> program_;
  std::string run_, host_;
  std::filesystem::path dir_;
  std::vector<std::string> namespaces_;
};

}  // namespace rollcall::webhook_test
