// What the CRDs refuse, accept and fill in, asked of a real API server.
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "kube/client.h"

namespace rollcall {
namespace {

using kube::Json;
using testing::HasSubstr;

class Crd : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (std::getenv("KUBECONFIG") == nullptr) return;
    auto credentials = kube::kubeconfig_credentials();
    ASSERT_TRUE(credentials.ok()) << credentials.error().message;
    auto made = kube::Client::make(*credentials);
    ASSERT_TRUE(made.ok()) << made.error().message;
    client = std::move(made.value()).release();
    ns = "rollcall-crd-" + std::to_string(std::random_device{}());
    const auto created =
        client->create(kNamespaces, "", {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}});
    ASSERT_TRUE(created.ok()) << created.error().text();
  }
  static void TearDownTestSuite() {
    if (client == nullptr) return;
    EXPECT_TRUE(client->remove(kNamespaces, "", ns).ok());
    delete client;
    client = nullptr;
  }

  void SetUp() override {
    if (client == nullptr) GTEST_SKIP() << "KUBECONFIG is not set: no API server to ask";
    if (const auto listed = client->list(kube::kTrainingJobs, ns); !listed)
      GTEST_SKIP() << "the CRDs are not installed (kubectl apply -f charts/rollcall/files/crds): "
                   << listed.error().text();
  }

  /// A suspended job, so that no operator acts on it, unless the spec says otherwise; dry run unless `stored`.
  static Json job(const std::string& name, Json spec) {
    if (!spec.contains("nnodes")) spec["nnodes"] = 2;
    if (!spec.contains("suspend")) spec["suspend"] = true;
    if (!spec.contains("template"))
      spec["template"] =
          Json::parse(R"({"spec": {"containers": [{"name": "trainer", "image": "x"}], "resorces": {"a": 1.5}}})");
    return {{"apiVersion", "rollcall.dev/v1alpha1"},
            {"kind", "TrainingJob"},
            {"metadata", {{"name", name}, {"namespace", ns}}},
            {"spec", std::move(spec)}};
  }
  static kube::Reply create(const Json& object) { return client->create(kube::kTrainingJobs, ns, object); }
  static kube::Reply patch(const std::string& name, const Json& spec) {
    return client->merge_patch(kube::kTrainingJobs, ns, name, {{"spec", spec}});
  }

  static inline const kube::Resource kNamespaces{"", "v1", "namespaces", false};
  static inline kube::Client* client = nullptr;
  static inline std::string ns;
};

TEST_F(Crd, DefaultsAreFilledInAndTheTemplateIsKept) {
  const auto reply = create(job("defaults", {}));
  ASSERT_TRUE(reply.ok()) << reply.error().text();
  const auto& spec = reply.value()["spec"];
  EXPECT_EQ(spec["nprocPerNode"], "auto");
  EXPECT_EQ(spec["rendezvous"], (Json{{"port", 29500}}));
  EXPECT_EQ(spec["rollCall"], (Json{{"mode", "Enforce"},
                                    {"waitForPodsSeconds", 1800},
                                    {"timeoutSeconds", 600},
                                    {"retries", 5},
                                    {"holdSeconds", 900},
                                    {"nccl", "Job"}}));
  EXPECT_EQ(spec["template"]["spec"]["resorces"]["a"], 1.5) << "a field that nobody knows is kept";
}

struct Refused {
  const char* name;
  Json spec;
  const char* says;
};
class CrdRefuses : public Crd, public testing::WithParamInterface<Refused> {};
TEST_P(CrdRefuses, ByTheFieldsName) {
  const auto reply = create(job("refused", GetParam().spec));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().http, 422);
  EXPECT_THAT(reply.error().message, HasSubstr(GetParam().says));
}
INSTANTIATE_TEST_SUITE_P(
    Table, CrdRefuses,
    testing::Values(
        Refused{"NoNodes", {{"nnodes", 0}}, "spec.nnodes"}, Refused{"ManyNodes", {{"nnodes", 4097}}, "spec.nnodes"},
        Refused{"Launcher", {{"launcher", "mpi"}}, "spec.launcher"},
        Refused{"Processes", {{"nprocPerNode", "gpu"}}, "must be an integer from 1 to 1024, or auto"},
        Refused{"BareOff", {{"rollCall", {{"mode", false}}}}, "spec.rollCall.mode"},
        Refused{"Port", {{"rendezvous", {{"port", 0}}}}, "spec.rendezvous.port"},
        Refused{"Nccl", {{"rollCall", {{"nccl", "Own"}}}}, "spec.rollCall.nccl"},
        Refused{"Setup", {{"rollCall", {{"setup", std::string(16385, 'a')}}}}, "spec.rollCall.setup"},
        Refused{"CheckName",
                {{"rollCall", {{"checks", {{{"name", "A b"}, {"command", {"true"}}}}}}}},
                "spec.rollCall.checks[0].name"},
        Refused{"CheckTwice",
                {{"rollCall",
                  {{"checks", {{{"name", "a"}, {"command", {"true"}}}, {{"name", "a"}, {"command", {"true"}}}}}}}},
                "Duplicate value"},
        Refused{"CheckDeadline",
                {{"rollCall", {{"checks", {{{"name", "a"}, {"command", {"true"}}, {"deadlineSeconds", 601}}}}}}},
                "spec.rollCall.checks[0].deadlineSeconds"},
        Refused{"CheckCommands",
                {{"rollCall",
                  {{"checks", {{{"name", "a"}, {"command", std::vector<std::string>(5, std::string(16000, 'a'))}}}}}}},
                "65536 characters"},
        Refused{"Deadline", {{"activeDeadlineSeconds", 0}}, "spec.activeDeadlineSeconds"},
        Refused{"Ttl", {{"ttlSecondsAfterFinished", -1}}, "spec.ttlSecondsAfterFinished"}),
    [](const auto& refused) { return std::string(refused.param.name); });

TEST_F(Crd, NameIsAtMostFortyEightCharacters) {
  EXPECT_TRUE(create(job(std::string(48, 'a'), {})).ok());
  const auto reply = create(job(std::string(49, 'a'), {}));
  ASSERT_FALSE(reply.ok());
  EXPECT_THAT(reply.error().message, HasSubstr("at most 48 characters"));
}

/// Not suspended, and with a template that starts nothing even where an operator runs: no node has the label it wants.
TEST_F(Crd, WhatMayNotChangeIsRefusedAlsoWhenItIsRemovedOrAdded) {
  const Json nowhere = Json::parse(
      R"({"spec": {"containers": [{"name": "trainer", "image": "x"}], "nodeSelector": {"rollcall.dev/no-such-node": "x"},
                   "resorces": {"a": 1.5}}})");
  const auto created =
      create(job("fixed", {{"suspend", false}, {"worldSize", 2}, {"launcher", "torchrun"}, {"template", nowhere}}));
  ASSERT_TRUE(created.ok()) << created.error().text();
  const std::vector<std::pair<const char*, Json>> changes = {
      {"spec.nnodes", {{"nnodes", 3}}},
      {"spec.worldSize", {{"worldSize", 6}}},
      {"spec.worldSize", {{"worldSize", nullptr}}},
      {"spec.launcher", {{"launcher", nullptr}}},
      {"spec.trainerContainer", {{"trainerContainer", "x"}}},
      {"spec.nprocPerNode", {{"nprocPerNode", 2}}},
      {"spec.rendezvous", {{"rendezvous", {{"port", 29501}}}}},
      {"spec.rendezvous", {{"rendezvous", {{"masterAddr", "10.0.0.1"}}}}},
      {"spec.template", {{"template", {{"metadata", {{"labels", {{"a", "b"}}}}}}}}},
      {"spec.template", {{"template", {{"spec", {{"resorces", nullptr}}}}}}},
  };
  for (const auto& [field, change] : changes) {
    const auto reply = patch("fixed", change);
    ASSERT_FALSE(reply.ok()) << change.dump();
    EXPECT_THAT(reply.error().message, HasSubstr(field)) << change.dump();
  }
  EXPECT_TRUE(patch("fixed", {{"rollCall", {{"mode", "Off"}, {"retries", 1}}}}).ok());
  EXPECT_TRUE(patch("fixed", {{"suspend", true}}).ok());
}

TEST_F(Crd, WhileSuspendedAQueueMayWriteWhatItWrites) {
  ASSERT_TRUE(create(job("queued", {})).ok());
  for (const auto& change : std::vector<Json>{
           {{"nnodes", 3}},
           {{"worldSize", 3}},
           {{"template", {{"metadata", {{"labels", {{"a", "b"}}}}}}}},
           {{"template",
             {{"spec", {{"nodeSelector", {{"zone", "a"}}}, {"schedulingGates", Json::array({{{"name", "q"}}})}}}}}}}) {
    const auto reply = patch("queued", change);
    EXPECT_TRUE(reply.ok()) << change.dump() << reply.error().text();
  }
  for (const auto& change :
       std::vector<Json>{{{"template", {{"spec", {{"containers", Json::array({{{"name", "other"}}})}}}}}},
                         {{"template", {{"spec", {{"hostNetwork", true}}}}}},
                         {{"template", {{"spec", {{"volumes", Json::array({{{"name", "v"}}})}}}}}},
                         {{"launcher", "jax"}}}) {
    EXPECT_FALSE(patch("queued", change).ok()) << change.dump();
  }
}

TEST_F(Crd, DeadlineAndTtlMayBeSetChangedAndRemovedAtAnyTime) {
  ASSERT_TRUE(create(job("timed", {})).ok());
  for (const char* field : {"activeDeadlineSeconds", "ttlSecondsAfterFinished"}) {
    for (const Json& value : std::vector<Json>{60, 120, nullptr}) {
      const auto reply = patch("timed", {{field, value}});
      EXPECT_TRUE(reply.ok()) << field << ": " << reply.error().text();
    }
  }
}

Json policy(const Json& spec) {
  return {{"apiVersion", "rollcall.dev/v1alpha1"},
          {"kind", "RollcallPolicy"},
          {"metadata", {{"name", "rollcall-crd-test"}}},
          {"spec", spec}};
}

TEST_F(Crd, APolicyIsRefusedByTheFieldsName) {
  const auto selector = [](Json expression) {
    return Json{{"namespaceSelector", {{"matchExpressions", Json::array({std::move(expression)})}}}};
  };
  const auto severity = [](const char* rule, Json word) {
    return Json{{"severities", Json::array({{{"rule", rule}, {"severity", std::move(word)}}})}};
  };
  const std::vector<std::pair<Json, const char*>> cases = {
      {severity("no/such-rule", "Deny"), "supported values"},
      {severity("rendezvous/host-name", "deny"), "spec.severities[0].severity"},
      {severity("rendezvous/host-name", false), "spec.severities[0].severity"},
      {{{"mode", "Watch"}}, "spec.mode"},
      {{{"thresholds", {{"minOpenFiles", 0}}}}, "spec.thresholds.minOpenFiles"},
      {{{"thresholds", {{"minBusBandwidthGigabytes", 0}}}}, "spec.thresholds.minBusBandwidthGigabytes"},
      {{{"thresholds", {{"deadlinePercent", 9}}}}, "spec.thresholds.deadlinePercent"},
      {{{"images", {{"registry", "https://registry.example"}}}}, "spec.images.registry"},
      {{{"images", {{"registry", "registry.example/Upper"}}}}, "spec.images.registry"},
      {selector({{"key", "a"}, {"operator", "In"}}), "In and NotIn need at least one"},
      {selector({{"key", "a"}, {"operator", "Exists"}, {"values", Json::array({"b"})}}), "Exists and DoesNotExist"},
      {selector({{"key", "a"}, {"operator", "Near"}}), "operator"},
  };
  for (const auto& [spec, says] : cases) {
    const auto reply = client->create(kube::kRollcallPolicies, "", policy(spec), {.dry_run = true});
    ASSERT_FALSE(reply.ok()) << spec.dump();
    EXPECT_THAT(reply.error().message, HasSubstr(says)) << spec.dump();
  }
  const auto good = client->create(
      kube::kRollcallPolicies, "",
      policy({{"severities", Json::array({{{"rule", "rendezvous/host-name"}, {"severity", "Off"}}})},
              {"images", {{"registry", "[fd00::1]:5000/mirror"}, {"pullSecrets", Json::array({"a"})}}},
              {"namespaceSelector",
               {{"matchExpressions", Json::array({{{"key", "a"}, {"operator", "NotIn"}, {"values", {"b"}}}})}}}}),
      {.dry_run = true});
  EXPECT_TRUE(good.ok()) << good.error().text();
}

TEST_F(Crd, RollCallsSpecAndVerdictAreWrittenOnce) {
  const Json object = {{"apiVersion", "rollcall.dev/v1alpha1"},
                       {"kind", "RollCall"},
                       {"metadata", {{"name", "tj-nobody-1"}, {"namespace", ns}}},
                       {"spec",
                        {{"job", {{"apiVersion", "x/v1"}, {"kind", "Nothing"}, {"name", "nobody"}, {"uid", "u"}}},
                         {"attempt", 1},
                         {"roster", Json::array({{{"nodeRank", 0}, {"pod", "p"}, {"uid", "u"}}})}}}};
  auto made = client->create(kube::kRollCalls, ns, object);
  ASSERT_TRUE(made.ok()) << made.error().text();
  const auto changed = client->merge_patch(kube::kRollCalls, ns, "tj-nobody-1", {{"spec", {{"attempt", 2}}}});
  ASSERT_FALSE(changed.ok());
  EXPECT_THAT(changed.error().message, HasSubstr("a replaced pod means the next attempt"));

  const auto verdict = [](const char* kind) -> Json {
    return {{"status", {{"verdict", {{"kind", kind}, {"by", "desk"}}}}}};
  };
  ASSERT_TRUE(client->merge_patch(kube::kRollCalls, ns, "tj-nobody-1", verdict("Released"), "status").ok());
  const auto second = client->merge_patch(kube::kRollCalls, ns, "tj-nobody-1", verdict("Ended"), "status");
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("status.verdict: is written once"));
  EXPECT_FALSE(
      client->merge_patch(kube::kRollCalls, ns, "tj-nobody-1", {{"status", {{"verdict", nullptr}}}}, "status").ok());
}

}  // namespace
}  // namespace rollcall
