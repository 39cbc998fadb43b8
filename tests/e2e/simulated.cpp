#include "e2e/simulated.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rollcall::e2e {
namespace {

Json literal(const char* name, const std::string& value) { return {{"name", name}, {"value", value}}; }

Json field(const char* name, const char* path) {
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
}

/// On node-2 alone a file that NCCL would load as a net plugin.
Json plugin_on_one_node() {
  return {{"name", "plugin"},
          {"image", "rollcall/e2e-gpu:dev"},
          {"imagePullPolicy", "IfNotPresent"},
          {"command", {"sh", "-c", "test $NODE != node-2 || cp /opt/doubles/libnccl.so.2 /plugins/libnccl-net.so"}},
          {"env", Json::array({{{"name", "NODE"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "spec.nodeName"}}}}}}})},
          {"volumeMounts", Json::array({{{"name", "plugins"}, {"mountPath", "/plugins"}}})}};
}

}  // namespace

void claim_gpus(int count) {
  for (const int n : {1, 2, 3}) cluster({"gpus", std::to_string(n), std::to_string(count)});
}

void start_simulated(World& world, const std::string& name, const Simulated& what) {
  const kube::Resource maps{"", "v1", "configmaps", true};
  world.create(maps, {{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", {{"name", name}}},
                      {"data", {{"scenario", fmt::format("gpus = {}\n{}", what.gpus, what.scenario)}}}});
  Json trainer = {
      {"env", Json::array({field("OWN_ADDR", "status.podIP"), field("ROLLCALL_SCENARIO_NODE", "spec.nodeName"),
                           literal("ROLLCALL_SCENARIO", "/scenario/scenario")})},
      {"resources", {{"limits", {{"nvidia.com/gpu", std::to_string(what.gpus)}}}}},
      {"volumeMounts", Json::array({{{"name", "scenario"}, {"mountPath", "/scenario"}, {"readOnly", true}}})}};
  Json pod_spec = {{"volumes", Json::array({{{"name", "scenario"}, {"configMap", {{"name", name}}}}})}};
  if (what.plugin) {
    pod_spec["volumes"].push_back({{"name", "plugins"}, {"emptyDir", Json::object()}});
    pod_spec["initContainers"] = Json::array({plugin_on_one_node()});
    trainer["volumeMounts"].push_back({{"name", "plugins"}, {"mountPath", "/plugins"}});
    trainer["env"].push_back(literal("LD_LIBRARY_PATH", "/opt/doubles:/plugins"));
  }
  world.start(training_job(name, {.nnodes = what.nnodes,
                                  .args = what.args,
                                  .image = what.image,
                                  .command = {"/e2e-trainer"},
                                  .roll_call = what.roll_call,
                                  .spec = {{"nprocPerNode", what.gpus}},
                                  .pod_spec = pod_spec,
                                  .trainer = trainer}));
}

Json judged(World& world, const std::string& job, seconds limit) {
  Json call;
  const bool came = World::eventually(limit, [&] {
    call = world.roll_call(job);
    if (!call.is_object() || !call.contains("status")) return false;
    return call["status"].contains("verdict") || call["status"].value("stage", "") == "Held";
  });
  EXPECT_TRUE(came) << job << ": neither held nor a verdict within " << limit.count()
                    << " s; it says: " << message(world.job(job));
  return call;
}

Json stage_of(const Json& roll_call, const std::string& name) {
  if (!roll_call.is_object() || !roll_call.contains("status")) return Json::object();
  for (const Json& stage : roll_call["status"].value("stages", Json::array())) {
    if (stage.value("name", "") == name) return stage;
  }
  return Json::object();
}

}  // namespace rollcall::e2e
