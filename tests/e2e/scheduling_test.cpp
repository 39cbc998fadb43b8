// Quota, policies, and places that are not there: nothing starts, and the words of the refusal are shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/world.h"

namespace rollcall::e2e {
namespace {

using testing::HasSubstr;

const kube::Resource kQuotas{"", "v1", "resourcequotas", true};
const kube::Resource kLimitRanges{"", "v1", "limitranges", true};
const Json kSmall = {
    {"resources",
     {{"requests", {{"cpu", "50m"}, {"memory", "32Mi"}}}, {"limits", {{"cpu", "50m"}, {"memory", "32Mi"}}}}}};
const Json kRestricted = {{"securityContext",
                           {{"runAsNonRoot", true},
                            {"runAsUser", 1000},
                            {"allowPrivilegeEscalation", false},
                            {"capabilities", {{"drop", Json::array({"ALL"})}}},
                            {"seccompProfile", {{"type", "RuntimeDefault"}}}}}};

TEST(Scheduling, OnePodThatFitsNowhereStartsNothingAndGivesTheOtherPlacesBack) {
  ROLLCALL_WORLD(world);
  // Three nodes, four pods, one pod a node: the fourth has no place.
  world.start(training_job("no-place", {.nnodes = 4, .roll_call = {{"waitForPodsSeconds", 20}}}));
  const Json waiting = world.wait_for("no-place", "the scheduler's words", seconds(30), [](const Json& job) {
    return message(job).find("nodes are available") != std::string::npos;
  });
  EXPECT_THAT(message(waiting), HasSubstr("node rank"));
  EXPECT_TRUE(World::eventually(seconds(60), [&] {
    const Json call = world.roll_call("no-place");
    return call.is_object() && call.contains("status") && call["status"].contains("verdict") &&
           call["status"]["verdict"].value("reason", "") == "PodsNotStarted";
  }));
  EXPECT_TRUE(World::eventually(seconds(30), [&] { return world.pods("no-place").empty(); }));
  const Json job = world.wait_for_phase("no-place", "Pending", seconds(10));
  EXPECT_EQ(job["status"].value("retriesUsed", 0), 0);
  EXPECT_THAT(message(job), HasSubstr("nodes are available"));
}

TEST(Scheduling, QuotaRefusalsArePendingWithTheWordsOfTheRefusal) {
  ROLLCALL_WORLD(world);
  world.create(kQuotas, {{"apiVersion", "v1"},
                         {"kind", "ResourceQuota"},
                         {"metadata", {{"name", "none"}}},
                         {"spec", {{"hard", {{"pods", "0"}}}}}});
  world.start(training_job("quota"));
  const Json job = world.wait_for("quota", "the quota's words", seconds(20), [](const Json& seen) {
    return message(seen).find("exceeded quota") != std::string::npos;
  });
  EXPECT_EQ(phase(job), "Pending");
  EXPECT_TRUE(world.pods("quota").empty());
}

TEST(Scheduling, WorksInANamespaceWithALimitsQuota) {
  ROLLCALL_WORLD(world);
  world.create(kQuotas, {{"apiVersion", "v1"},
                         {"kind", "ResourceQuota"},
                         {"metadata", {{"name", "limits"}}},
                         {"spec", {{"hard", {{"limits.cpu", "150m"}, {"limits.memory", "96Mi"}}}}}});
  world.start(training_job("in-quota", {.trainer = kSmall}));
  world.wait_for_phase("in-quota", "Succeeded", seconds(120));
}

TEST(Scheduling, WorksInANamespaceWithALimitRange) {
  ROLLCALL_WORLD(world);
  world.create(kLimitRanges,
               {{"apiVersion", "v1"},
                {"kind", "LimitRange"},
                {"metadata", {{"name", "range"}}},
                {"spec",
                 {{"limits", Json::array({{{"type", "Container"},
                                           {"default", {{"cpu", "100m"}, {"memory", "64Mi"}}},
                                           {"defaultRequest", {{"cpu", "50m"}, {"memory", "32Mi"}}}}})}}}});
  world.start(training_job("in-range"));
  world.wait_for_phase("in-range", "Succeeded", seconds(120));
}

TEST(Scheduling, WorksUnderPodSecurityRestricted) {
  ROLLCALL_WORLD(world, {{"pod-security.kubernetes.io/enforce", "restricted"}});
  world.start(training_job("restricted", {.trainer = kRestricted}));
  world.wait_for_phase("restricted", "Succeeded", seconds(90));
}

TEST(Scheduling, APodSecurityRefusalIsOneConditionWithItsWords) {
  ROLLCALL_WORLD(world, {{"pod-security.kubernetes.io/enforce", "restricted"}});
  world.start(training_job("refused"));
  world.wait_for("refused", "the words of Pod Security", seconds(20),
                 [](const Json& job) { return message(job).find("violates PodSecurity") != std::string::npos; });
  EXPECT_TRUE(world.pods("refused").empty());
}

TEST(Scheduling, QosClassStaysGuaranteed) {
  ROLLCALL_WORLD(world);
  world.start(training_job("guaranteed", {.nnodes = 2, .trainer = kSmall}));
  world.wait_for_phase("guaranteed", "Succeeded", seconds(90));
  for (const Json& pod : world.pods("guaranteed")) EXPECT_EQ(pod["status"]["qosClass"], "Guaranteed");
}

TEST(Scheduling, QosClassStaysBestEffort) {
  ROLLCALL_WORLD(world);
  world.start(training_job("best-effort", {.nnodes = 2}));
  world.wait_for_phase("best-effort", "Succeeded", seconds(90));
  for (const Json& pod : world.pods("best-effort")) EXPECT_EQ(pod["status"]["qosClass"], "BestEffort");
}

TEST(Scheduling, AnLdPreloadOfTheTrainerDoesNotReachTheProbe) {
  ROLLCALL_WORLD(world);
  world.start(training_job(
      "preload",
      {.nnodes = 2, .trainer = {{"env", Json::array({{{"name", "LD_PRELOAD"}, {"value", "/nowhere/lib.so"}}})}}}));
  world.wait_for_phase("preload", "Succeeded", seconds(90));
}

}  // namespace
}  // namespace rollcall::e2e
