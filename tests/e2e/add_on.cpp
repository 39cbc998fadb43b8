#include "e2e/add_on.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/names.h"

namespace rollcall::e2e {
namespace {

namespace names = api::names;
const kube::Resource kDeployments{"apps", "v1", "deployments", true};

std::string full_name(const std::string& program) { return "rollcall-" + program; }

}  // namespace

AddOn::~AddOn() {
  bool well = all_of_it() == before_ && !ca_bundle().empty();
  for (const char* program : kPrograms) well = well && rolled_out(program);
  if (!well) install();
}

Json AddOn::all_of_it() {
  Json all;
  const auto releases = api_.list(kube::kSecrets, kAddOnNamespace, {{"labelSelector", "owner=helm,name=rollcall"}});
  if (releases) {
    for (const Json& release : releases.value()["items"]) all["releases"].push_back(release["metadata"]["labels"]);
  }
  for (const char* program : kPrograms) all[program] = deployment(program).value("spec", Json());
  all["webhooks"] = webhook_configuration().value("webhooks", Json());
  if (!all["webhooks"].empty()) all["webhooks"][0]["clientConfig"].erase("caBundle");  // renewed now and then
  return all;
}

void AddOn::install(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"install"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  cluster(words);
}

Json AddOn::deployment(const std::string& program) {
  const auto got = api_.get(kDeployments, kAddOnNamespace, full_name(program));
  return got ? got.value() : Json::object();
}

bool AddOn::rolled_out(const std::string& program) {
  const Json seen = deployment(program);
  if (!seen.contains("status")) return false;
  const int wanted = seen["spec"].value("replicas", 1);
  const Json& status = seen["status"];
  return status.value("observedGeneration", 0) == seen["metadata"].value("generation", -1) &&
         status.value("replicas", 0) == wanted && status.value("updatedReplicas", 0) == wanted &&
         status.value("readyReplicas", 0) == wanted;
}

std::vector<Json> AddOn::pods(const std::string& program) {
  const auto listed =
      api_.list(kube::kPods, kAddOnNamespace, {{"labelSelector", "app.kubernetes.io/component=" + program}});
  std::vector<Json> found;
  if (!listed) return found;
  for (const auto& pod : listed.value()["items"]) found.push_back(pod);
  return found;
}

void AddOn::scale(const std::string& program, int replicas) {
  const auto reply =
      api_.merge_patch(kDeployments, kAddOnNamespace, full_name(program), {{"spec", {{"replicas", replicas}}}});
  ASSERT_TRUE(reply.ok()) << reply.error().text();
}

Json AddOn::webhook_configuration() {
  const auto got = api_.get(kube::kWebhookConfigurations, "", names::kWebhookConfiguration);
  return got ? got.value() : Json::object();
}

std::string AddOn::ca_bundle() {
  const Json seen = webhook_configuration();
  return seen.empty() ? "" : seen["webhooks"][0]["clientConfig"].value("caBundle", "");
}

std::string AddOn::holder(const std::string& lease) {
  const auto got = api_.get(kube::kLeases, kAddOnNamespace, lease);
  return got ? got.value()["spec"].value("holderIdentity", "") : "";
}

Json faulty_job(const std::string& name) {
  return training_job(
      name, {.spec = {{"nprocPerNode", 8}}, .trainer = {{"resources", {{"limits", {{"nvidia.com/gpu", 4}}}}}}});
}

bool all_pods(World& world, const std::string& job, const std::string& phase) {
  const auto pods = world.pods(job);
  return !pods.empty() && std::all_of(pods.begin(), pods.end(),
                                      [&](const Json& pod) { return pod["status"].value("phase", "") == phase; });
}

std::vector<std::string> pod_uids(World& world, const std::string& job) {
  std::vector<std::string> found;
  for (const Json& pod : world.pods(job)) found.push_back(pod["metadata"].value("uid", ""));
  return found;
}

Admissions::Admissions(World& world) : world_(world), thread_([this] { ask(); }) {}

void Admissions::stop() {
  ended_ = true;
  if (thread_.joinable()) thread_.join();
}

void Admissions::ask() {
  Json job = faulty_job("asked");
  job["metadata"]["namespace"] = world_.ns();
  while (!ended_) {
    const auto reply = world_.api().create(kube::kTrainingJobs, world_.ns(), job, {.dry_run = true});
    const std::string words = reply.ok() ? "admitted" : reply.error().text();
    if (words.find(kFaultyRule) != std::string::npos) {
      ++refused_;
    } else {
      others_.push_back(words);
    }
    World::eventually(seconds(1), [&] { return ended_.load(); });
  }
}

NamespacePolicy::NamespacePolicy(World& world, const std::string& what, Json spec)
    : world_(world), name_(what + "-" + world.ns()) {
  spec["namespaceSelector"] = {{"matchLabels", {{"kubernetes.io/metadata.name", world.ns()}}}};
  world.create(kube::kRollcallPolicies, {{"apiVersion", names::kApiVersion},
                                         {"kind", "RollcallPolicy"},
                                         {"metadata", {{"name", name_}}},
                                         {"spec", std::move(spec)}});
}

void NamespacePolicy::remove() {
  if (!std::exchange(stands_, false)) return;
  const auto reply = world_.api().remove(kube::kRollcallPolicies, "", name_);
  EXPECT_TRUE(reply.ok() || reply.error().not_found()) << reply.error().text();
}

}  // namespace rollcall::e2e
