// The CRDs and the codec are held together field by field: every field of the schema is written and read, and nothing
// else.
#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include <set>
#include <string>

#include "api/roll_call.h"
#include "api/rollcall_policy.h"
#include "api/training_job.h"

namespace rollcall::api {
namespace {

using nlohmann::json;
using testing::IsEmpty;

YAML::Node crd(const std::string& plural) {
  return YAML::LoadFile(ROLLCALL_SOURCE_DIR "/charts/rollcall/files/crds/" + plural + ".yaml");
}

YAML::Node schema_of(const std::string& plural, const std::string& part) {
  return crd(plural)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"][part];
}

/// Paths of all fields under a schema, `nodes[].stages[].name`; the contents of objects that preserve unknown fields
/// are not ours.
void schema_paths(const YAML::Node& schema, const std::string& prefix, std::set<std::string>& paths) {
  if (schema["x-kubernetes-preserve-unknown-fields"]) return;
  if (schema["items"]) schema_paths(schema["items"], prefix + "[]", paths);
  for (const auto& property : schema["properties"]) {
    const auto path = (prefix.empty() ? "" : prefix + ".") + property.first.as<std::string>();
    paths.insert(path);
    schema_paths(property.second, path, paths);
  }
}

void json_paths(const json& value, const std::string& prefix, std::set<std::string>& paths) {
  if (value.is_array()) {
    for (const auto& item : value) json_paths(item, prefix + "[]", paths);
  } else if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      const auto path = (prefix.empty() ? "" : prefix + ".") + key;
      paths.insert(path);
      json_paths(item, path, paths);
    }
  }
}

/// A value that the schema allows, with every field present; strings are distinct, so that a field read into another's
/// place shows.
json filled(const YAML::Node& schema, int& counter) {
  if (schema["enum"]) return schema["enum"][schema["enum"].size() - 1].as<std::string>();
  const auto type = schema["type"] ? schema["type"].as<std::string>() : "integer";
  if (type == "integer") return ++counter;
  if (type == "number") return ++counter + 0.5;
  if (type == "boolean") return true;
  if (type == "string") return "s" + std::to_string(++counter);
  if (type == "array") return json::array({filled(schema["items"], counter)});
  json object = json::object();
  for (const auto& property : schema["properties"])
    object[property.first.as<std::string>()] = filled(property.second, counter);
  return object;
}

std::set<std::string> minus(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> rest;
  for (const auto& path : a) {
    if (!b.contains(path)) rest.insert(path);
  }
  return rest;
}

void expect_same_paths(const YAML::Node& schema, const json& written) {
  std::set<std::string> in_schema, in_json;
  schema_paths(schema, "", in_schema);
  json_paths(written, "", in_json);
  EXPECT_THAT(minus(in_schema, in_json), IsEmpty()) << "in the schema, not written by the codec";
  EXPECT_THAT(minus(in_json, in_schema), IsEmpty()) << "written by the codec, pruned by the schema";
}

json object_with(const std::string& part, json value) {
  json object = {{"metadata", {{"name", "llama"}}}, {"spec", {{"nnodes", 1}, {"template", json::object()}}}};
  object[part] = std::move(value);
  return object;
}

TEST(Schema, TrainingJobStatusIsReadAndWrittenFieldByField) {
  int counter = 0;
  const auto schema = schema_of("trainingjobs", "status");
  const json status = filled(schema, counter);
  const auto job = training_job_from(object_with("status", status));
  ASSERT_TRUE(job.ok()) << job.error().message;
  EXPECT_EQ(to_json(job->status), status);
  expect_same_paths(schema, to_json(job->status));
}

TEST(Schema, RollCallSpecAndStatusAreReadAndWrittenFieldByField) {
  int counter = 0;
  const auto spec_schema = schema_of("rollcalls", "spec");
  const auto status_schema = schema_of("rollcalls", "status");
  const json spec = filled(spec_schema, counter);
  const json status = filled(status_schema, counter);
  const auto roll_call = roll_call_from({{"metadata", {{"name", "tj-llama-1"}}}, {"spec", spec}, {"status", status}});
  ASSERT_TRUE(roll_call.ok()) << roll_call.error().message;
  EXPECT_EQ(to_json(roll_call->spec), spec);
  EXPECT_EQ(to_json(roll_call->status), status);
  expect_same_paths(spec_schema, to_json(roll_call->spec));
  expect_same_paths(status_schema, to_json(roll_call->status));
}

TEST(Schema, TrainingJobSpecIsReadFieldByField) {
  int counter = 0;
  const auto schema = schema_of("trainingjobs", "spec");
  const json spec = filled(schema, counter);
  const auto job = training_job_from(object_with("spec", spec));
  ASSERT_TRUE(job.ok()) << job.error().message;

  // The codec never writes a spec, so what it read is spelt out once more; a schema field that is missing here fails
  // below.
  const auto& s = job->spec;
  const auto& check = s.roll_call.checks.at(0);
  const json read = {{"nnodes", s.nnodes},
                     {"nprocPerNode", s.nproc_per_node.value()},
                     {"worldSize", s.world_size.value()},
                     {"launcher", s.launcher.value()},
                     {"trainerContainer", s.trainer_container.value()},
                     {"rendezvous", {{"port", s.port}, {"masterAddr", s.master_addr.value()}}},
                     {"rollCall",
                      {{"mode", std::string(to_string(s.roll_call.mode))},
                       {"waitForPodsSeconds", s.roll_call.wait_for_pods_seconds},
                       {"timeoutSeconds", s.roll_call.timeout_seconds},
                       {"retries", s.roll_call.retries},
                       {"holdSeconds", s.roll_call.hold_seconds},
                       {"nccl", std::string(to_string(s.roll_call.nccl))},
                       {"setup", s.roll_call.setup},
                       {"checks",
                        {{{"name", check.name},
                          {"command", check.command},
                          {"compare", check.compare},
                          {"deadlineSeconds", check.deadline_seconds}}}}}},
                     {"activeDeadlineSeconds", s.active_deadline_seconds.value()},
                     {"ttlSecondsAfterFinished", s.ttl_seconds_after_finished.value()},
                     {"suspend", s.suspend},
                     {"template", s.pod_template}};
  EXPECT_EQ(read, spec);
}

TEST(Schema, RollcallPolicySpecIsReadFieldByField) {
  int counter = 0;
  const auto schema = schema_of("rollcallpolicies", "spec");
  json spec = filled(schema, counter);
  spec["namespaceSelector"]["matchLabels"] = {{"team", "vision"}};
  spec["thresholds"]["deadlinePercent"] = 150;
  const auto policy = rollcall_policy_from({{"metadata", {{"name", "gpu-teams"}}}, {"spec", spec}});
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  const auto& p = *policy;
  EXPECT_EQ(p.name, "gpu-teams");
  const auto& expression = p.namespace_selector.match_expressions.at(0);
  const json read = {
      {"namespaceSelector",
       {{"matchLabels", p.namespace_selector.match_labels},
        {"matchExpressions", {{{"key", expression.key}, {"operator", expression.op}, {"values", expression.values}}}}}},
      {"severities", {{{"rule", p.severities.at(0).rule}, {"severity", p.severities.at(0).severity ? "Deny" : "Off"}}}},
      {"neverIgnore", p.never_ignore},
      {"mode", std::string(to_string(p.mode.value()))},
      {"thresholds",
       {{"minSharedMemoryMebibytes", p.thresholds.min_shared_memory_mebibytes.value()},
        {"minOpenFiles", p.thresholds.min_open_files.value()},
        {"minBusBandwidthGigabytes", p.thresholds.min_bus_bandwidth_gigabytes.value()},
        {"deadlinePercent", p.thresholds.deadline_percent.value()}}},
      {"images", {{"registry", p.images.registry}, {"pullSecrets", p.images.pull_secrets}}}};
  EXPECT_EQ(read, spec);
}

TEST(Schema, AWordThatAPolicyDoesNotHaveIsAnErrorThatNamesTheField) {
  const auto message = [](json spec) {
    const auto policy = rollcall_policy_from({{"metadata", {{"name", "p"}}}, {"spec", std::move(spec)}});
    return policy.ok() ? "read" : policy.error().message;
  };
  const auto severity = [](json word) {
    return json{{"severities", {{{"rule", "a/b"}, {"severity", std::move(word)}}}}};
  };
  for (const char* word : {"Deny", "Warn", "Info", "Off"}) EXPECT_EQ(message(severity(word)), "read") << word;
  EXPECT_EQ(message(severity("deny")), "spec.severities[0].severity: `deny` is none of Deny, Warn, Info, Off");
  EXPECT_EQ(message({{"mode", "Watch"}}), "spec.mode: `Watch` is none of Enforce, Observe, Off");
  EXPECT_EQ(message({{"namespaceSelector", {{"matchExpressions", {{{"key", "a"}, {"operator", "Near"}}}}}}}),
            "spec.namespaceSelector.matchExpressions[0].operator: `Near` is none of In, NotIn, Exists, DoesNotExist");
  EXPECT_EQ(message({{"thresholds", {{"minOpenFiles", 0}}}}),
            "spec.thresholds.minOpenFiles: 0 is out of range 1 and more");
  EXPECT_EQ(message({{"thresholds", {{"minBusBandwidthGigabytes", -1}}}}),
            "spec.thresholds.minBusBandwidthGigabytes: -1 is out of range 1 and more");
  EXPECT_EQ(message({{"thresholds", {{"deadlinePercent", 9}}}}),
            "spec.thresholds.deadlinePercent: 9 is out of range 10 to 1000");
  EXPECT_EQ(message({{"thresholds", {{"deadlinePercent", 1000}}}}), "read");
  EXPECT_EQ(message(json::object()), "read");
}

TEST(Schema, DefaultsOfTheSchemaAreTheDefaultsOfTheValues) {
  const auto properties = schema_of("trainingjobs", "spec")["properties"];
  const TrainingJobSpec spec;
  EXPECT_EQ(properties["nprocPerNode"]["default"].as<std::string>(), "auto");
  EXPECT_FALSE(spec.nproc_per_node);
  EXPECT_EQ(properties["rendezvous"]["properties"]["port"]["default"].as<int>(), spec.port);
  EXPECT_EQ(properties["suspend"]["default"].as<bool>(), spec.suspend);
  const auto roll_call = properties["rollCall"]["properties"];
  EXPECT_EQ(roll_call["mode"]["default"].as<std::string>(), to_string(spec.roll_call.mode));
  EXPECT_EQ(roll_call["waitForPodsSeconds"]["default"].as<int>(), spec.roll_call.wait_for_pods_seconds);
  EXPECT_EQ(roll_call["timeoutSeconds"]["default"].as<int>(), spec.roll_call.timeout_seconds);
  EXPECT_EQ(roll_call["retries"]["default"].as<int>(), spec.roll_call.retries);
  EXPECT_EQ(roll_call["holdSeconds"]["default"].as<int>(), spec.roll_call.hold_seconds);
  EXPECT_EQ(roll_call["nccl"]["default"].as<std::string>(), to_string(spec.roll_call.nccl));
  const auto check = roll_call["checks"]["items"]["properties"];
  EXPECT_EQ(check["compare"]["default"].as<bool>(), UserCheck().compare);
  EXPECT_EQ(check["deadlineSeconds"]["default"].as<int>(), UserCheck().deadline_seconds);
  EXPECT_EQ(properties["nnodes"]["maximum"].as<int>(), kMaxNodes);
}

TEST(Schema, EveryWordOfAnEnumIsKnownToTheCodec) {
  const auto spec = schema_of("trainingjobs", "spec")["properties"];
  for (const auto& mode : spec["rollCall"]["properties"]["mode"]["enum"]) {
    EXPECT_TRUE(roll_call_mode_from(mode.as<std::string>())) << mode.as<std::string>();
  }
  const auto status = schema_of("rollcalls", "status")["properties"];
  for (const auto& reason : status["verdict"]["properties"]["reason"]["enum"]) {
    EXPECT_TRUE(end_reason_from(reason.as<std::string>())) << reason.as<std::string>();
  }
  EXPECT_EQ(status["verdict"]["properties"]["reason"]["enum"].size(), 9U);
  std::set<std::string> phases;
  for (const auto& phase : schema_of("trainingjobs", "status")["properties"]["phase"]["enum"])
    phases.insert(phase.as<std::string>());
  for (const auto phase : {Phase::Pending, Phase::RollCall, Phase::Held, Phase::Released, Phase::Running,
                           Phase::Suspended, Phase::Succeeded, Phase::Failed}) {
    EXPECT_TRUE(phases.contains(std::string(to_string(phase)))) << to_string(phase);
  }
  EXPECT_EQ(phases.size(), 8U);
}

}  // namespace
}  // namespace rollcall::api
