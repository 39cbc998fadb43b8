// What the owner of a cluster says by a RollcallPolicy reaches jobs, also those that wait already.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/add_on.h"

namespace rollcall::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

bool released(World& world, const std::string& job) {
  const Json call = world.roll_call(job);
  return call.is_object() && call.value("status", Json::object()).contains("verdict");
}

TEST(Policies, AModeChangedToObserveReleasesAHeldJobWithinFiveSeconds) {
  ROLLCALL_WORLD(world);
  const NodeRule wall = wall_between_nodes(2, 3);
  world.start(training_job("held-policy", {.args = {}}));
  world.wait_for_phase("held-policy", "Held", seconds(90));
  const NamespacePolicy policy(world, "observe", {{"mode", "Observe"}});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(World::eventually(seconds(20), [&] { return released(world, "held-policy"); }));
  EXPECT_LE(std::chrono::steady_clock::now() - begin, seconds(5));
  const Json status = world.roll_call("held-policy")["status"];
  EXPECT_EQ(status["verdict"].value("kind", ""), "Released");
  EXPECT_FALSE(status.value("findings", Json::array()).empty()) << "what was found stays on record";
  world.wait_for_phase("held-policy", "Succeeded", seconds(60));
  EXPECT_TRUE(World::eventually(seconds(10), [&] {
    for (const Json& event : world.events("held-policy")) {
      if (event.value("message", "").find("by RollcallPolicy " + policy.name()) != std::string::npos) return true;
    }
    return false;
  })) << "an event names the policy";
}

TEST(Policies, AJobsOwnModeChangedToObserveReleasesItWithinFiveSeconds) {
  ROLLCALL_WORLD(world);
  const NodeRule wall = wall_between_nodes(2, 3);
  world.start(training_job("held-mode", {.args = {}}));
  world.wait_for_phase("held-mode", "Held", seconds(90));
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(
      world.api()
          .merge_patch(kube::kTrainingJobs, world.ns(), "held-mode", {{"spec", {{"rollCall", {{"mode", "Observe"}}}}}})
          .ok());
  EXPECT_TRUE(World::eventually(seconds(20), [&] { return released(world, "held-mode"); }));
  EXPECT_LE(std::chrono::steady_clock::now() - begin, seconds(5));
}

TEST(Policies, AThresholdHoldsTheJobAndNamesPolicyNodeAndValue) {
  ROLLCALL_WORLD(world);
  const NamespacePolicy policy(world, "strict", {{"thresholds", {{"minSharedMemoryMebibytes", 1 << 20}}}});
  world.start(training_job("small-shm", {.nnodes = 1, .args = {}}));
  const Json job = world.wait_for_phase("small-shm", "Held", seconds(90));
  EXPECT_THAT(message(job), AllOf(HasSubstr("1048576 MiB of /dev/shm"), HasSubstr(policy.name()), HasSubstr("node-")));
}

TEST(Policies, ARuleMadeADenialRefusesAndTheFindingSaysWhoseDoingItIs) {
  ROLLCALL_WORLD(world);
  const NamespacePolicy policy(world, "ports",
                               {{"severities", {{{"rule", "rendezvous/ephemeral-port"}, {"severity", "Deny"}}}}});
  // Refused at admission where a webhook stands, by the operator where none does; the words are the same.
  const Json job = training_job("ephemeral", {.nnodes = 1, .args = {}, .spec = {{"rendezvous", {{"port", 40000}}}}});
  const auto words = "[rendezvous/ephemeral-port: deny instead of warn by RollcallPolicy " + policy.name() + "]";
  Json object = job;
  object["metadata"]["namespace"] = world.ns();
  std::string said;
  // A policy takes a moment to reach the webhook's cache, so a job that slips through is the operator's to refuse.
  const auto reply = world.api().create(kube::kTrainingJobs, world.ns(), object);
  said = reply.ok() ? message(world.wait_for_phase("ephemeral", "Failed", seconds(30))) : reply.error().text();
  EXPECT_THAT(said, HasSubstr(words));
}

TEST(Policies, PullSecretsOfAPolicyAreInThePods) {
  ROLLCALL_WORLD(world);
  const NamespacePolicy policy(world, "images", {{"images", {{"pullSecrets", {"mirror"}}}}});
  // The policy reaches the operator's cache within a moment; a job is looked at only after that is certain.
  world.start(training_job("pulls", {.nnodes = 1, .args = {}, .spec = {{"suspend", true}}}));
  world.wait_for_phase("pulls", "Suspended", seconds(30));
  ASSERT_TRUE(world.api().merge_patch(kube::kTrainingJobs, world.ns(), "pulls", {{"spec", {{"suspend", false}}}}).ok());
  world.wait_for_phase("pulls", "Succeeded", seconds(90));
  EXPECT_EQ(world.pods("pulls").at(0)["spec"].value("imagePullSecrets", Json::array()),
            Json::array({{{"name", "mirror"}}}));
}

TEST(Policies, TheProbesImageComesFromThePolicysRegistry) {
  ROLLCALL_WORLD(world);
  world.start(training_job("moved", {.nnodes = 1, .args = {}, .spec = {{"suspend", true}}}));
  world.wait_for_phase("moved", "Suspended", seconds(30));
  const NamespacePolicy policy(world, "registry", {{"images", {{"registry", "registry.invalid:5000/mirror"}}}});
  // Told by the pod itself, which is made anew until the policy has reached the operator.
  std::string image;
  EXPECT_TRUE(World::eventually(seconds(60), [&] {
    for (const bool on : {false, true}) {
      const auto reply =
          world.api().merge_patch(kube::kTrainingJobs, world.ns(), "moved", {{"spec", {{"suspend", on}}}});
      if (!reply.ok()) return false;
      World::eventually(seconds(10), [&] { return world.pods("moved").empty() == on; });
      const auto pods = world.pods("moved");
      if (!pods.empty()) image = pods[0]["spec"]["initContainers"][0].value("image", "");
    }
    return image.starts_with("registry.invalid:5000/mirror/");
  })) << image;
}

TEST(Policies, AMisspeltRuleIsRefusedByTheSchema) {
  ROLLCALL_WORLD(world);
  const auto reply =
      world.api().create(kube::kRollcallPolicies, "",
                         {{"apiVersion", "rollcall.dev/v1alpha1"},
                          {"kind", "RollcallPolicy"},
                          {"metadata", {{"name", "misspelt-" + world.ns()}}},
                          {"spec", {{"severities", {{{"rule", "rendezvous/hostname"}, {"severity", "Deny"}}}}}}});
  ASSERT_FALSE(reply.ok());
  EXPECT_THAT(reply.error().text(), HasSubstr("rendezvous/host-name")) << "with the list of those there are";
}

}  // namespace
}  // namespace rollcall::e2e
