// What a person or a policy changes while the roll is called.
#include <gmock/gmock.h>

#include "operator/conditions.h"
#include "operator/reconcile.h"
#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using namespace testing_world;
using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

TEST(Override, OverrideReachesTheRollCallAndIsTakenFromTheJob) {
  World world;
  world.until_called();
  world.person_annotates("rollcall.dev/release", "I know gpu-1");
  world.settle();
  EXPECT_EQ(world.roll_call()["metadata"]["annotations"]["rollcall.dev/override"], "I know gpu-1");
  EXPECT_FALSE(annotations_of(world.object(World::kJob)).contains("rollcall.dev/release"));
  world.desk_names_address();
  world.settle();
  world.desk_releases(1, true);
  world.settle();
  EXPECT_EQ(reason_of(world, "Released"), "True/Overridden");
  EXPECT_EQ(reason_of(world, "RollCallPassed"), "False/Overridden");
  EXPECT_THAT(world.event_reasons(), Contains("Overridden"));
}

TEST(Override, OverrideDoesNotCarryOverToTheNextAttempt) {
  World world;
  world.until_called();
  // The operator dies after the RollCall was annotated, before the annotation of the job was taken; then the attempt
  // ends.
  world.roll_call()["metadata"]["annotations"]["rollcall.dev/override"] = "why";
  world.person_annotates("rollcall.dev/release", "why");
  world.desk_ends("PodLost", "Gone.");
  world.settle();
  world.kubelets_let_go();
  world.pass(60s);
  world.settle();
  ASSERT_TRUE(world.has_roll_call(2));
  EXPECT_FALSE(annotations_of(world.roll_call(2)).contains("rollcall.dev/override"));
  EXPECT_FALSE(annotations_of(world.object(World::kJob)).contains("rollcall.dev/release"));
}

TEST(Override, ALongReasonIsCut) {
  World world;
  world.until_called();
  world.person_annotates("rollcall.dev/release", std::string(200'000, 'y'));
  world.settle();
  EXPECT_EQ(annotations_of(world.roll_call())["rollcall.dev/override"], std::string(512, 'y'));
  EXPECT_FALSE(annotations_of(world.object(World::kJob)).contains("rollcall.dev/release"));
}

TEST(Override, TheSameWordsReleaseTheNextAttemptToo) {
  World world;
  world.until_called();
  world.person_annotates("rollcall.dev/release", "why");
  world.settle();
  world.desk_ends("PodLost", "Gone.");
  world.settle();
  world.kubelets_let_go();
  world.pass(60s);
  world.settle();
  ASSERT_TRUE(world.has_roll_call(2));
  world.person_annotates("rollcall.dev/release", "why");
  world.settle();
  EXPECT_EQ(annotations_of(world.roll_call(2))["rollcall.dev/override"], "why");
  EXPECT_FALSE(annotations_of(world.object(World::kJob)).contains("rollcall.dev/release"));
}

TEST(Override, ModeChangedWhileWaitingReachesTheDesk) {
  World world;
  world.until_called();
  world.person_sets("rollCall", {{"mode", "Observe"}});
  world.settle();
  EXPECT_EQ(world.roll_call()["metadata"]["annotations"]["rollcall.dev/mode"], "Observe");
  world.person_sets("rollCall", {{"mode", "Enforce"}});
  world.settle();
  EXPECT_EQ(world.roll_call()["metadata"]["annotations"]["rollcall.dev/mode"], "Enforce") << "and back";
}

// -------------------------------------------------------------------------------------------------------- policies
api::RollcallPolicy policy_named(const std::string& name) {
  api::RollcallPolicy policy;
  policy.name = name;
  return policy;
}

TEST(Policies, ModeThatChangesWhileHeldReachesTheDeskInPlaceOfTheJobsOwn) {
  World world;
  world.until_called();
  world.desk_writes({{"stage", "Held"}, {"message", "x"}});
  world.settle();
  auto policy = policy_named("observe-all");
  policy.mode = api::RollCallMode::Observe;
  world.policies = {policy};
  world.settle();
  EXPECT_EQ(annotations_of(world.roll_call())["rollcall.dev/mode"], "Observe");
  EXPECT_EQ(world.events.back().message,
            "The roll call goes on in mode Observe, not Enforce, by RollcallPolicy observe-all (spec.rollCall.mode is "
            "Enforce)");
  world.policies.clear();
  world.settle();
  EXPECT_EQ(annotations_of(world.roll_call())["rollcall.dev/mode"], "Enforce") << "and back";
}

TEST(Policies, ModeAndThresholdsStandInTheRollCall) {
  World world;
  auto policy = policy_named("strict");
  policy.mode = api::RollCallMode::Observe;
  policy.thresholds.min_open_files = 65536;
  policy.thresholds.deadline_percent = 200;
  world.policies = {policy};
  world.settle();
  const auto spec = world.roll_call()["spec"];
  EXPECT_EQ(spec["settings"]["mode"], "Observe");
  EXPECT_EQ(spec["thresholds"], (Json{{"minOpenFiles", {{"value", 65536}, {"policy", "strict"}}},
                                      {"deadlinePercent", {{"value", 200}, {"policy", "strict"}}}}));
  EXPECT_FALSE(annotations_of(world.roll_call()).contains("rollcall.dev/mode"));
  EXPECT_THAT(world.events.back().message, HasSubstr("in mode Observe by RollcallPolicy strict"));
}

TEST(Policies, ARuleMadeADenialRefusesTheJobInTheRulesWords) {
  World world(2, {{"rendezvous", {{"port", 40000}}}});
  auto policy = policy_named("ports");
  policy.severities = {{"rendezvous/ephemeral-port", Severity::deny}};
  world.policies = {policy};
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "True/RefusedByRules");
  EXPECT_THAT(world.status().message,
              HasSubstr("[rendezvous/ephemeral-port: deny instead of warn by RollcallPolicy ports]"));
  EXPECT_FALSE(world.has_pod(0));
}

TEST(Policies, ADenialThatCameAfterTheJobDoesNotFailItsNextAttempt) {
  World world(2, {{"rendezvous", {{"port", 40000}}}});
  world.until_running();
  auto policy = policy_named("ports");
  policy.severities = {{"rendezvous/ephemeral-port", Severity::deny}};
  world.policies = {policy};
  world.pod(1)["status"].update(Json{{"phase", "Failed"}, {"reason", "Evicted"}});
  world.settle();
  world.kubelets_let_go();
  world.pass(60s);
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "(none)");
  EXPECT_TRUE(world.has_pod(0, 2));
}

TEST(Policies, ARuleThatIsOffRefusesNothing) {
  const Json spec = {{"worldSize", 3}};
  World refused(2, spec);
  refused.settle();
  ASSERT_EQ(reason_of(refused, "Failed"), "True/RefusedByRules");
  World world(2, spec);
  auto policy = policy_named("lenient");
  policy.severities = {{"world/size-is-not-the-product", std::nullopt}};
  world.policies = {policy};
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "(none)");
  EXPECT_TRUE(world.has_pod(0));
}

}  // namespace
}  // namespace rollcall::operator_
