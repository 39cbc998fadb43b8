// New rules and new programs over jobs that are stored, wait or train.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/add_on.h"

namespace rollcall::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto kNewRule = "rendezvous/ephemeral-port";
const Json kNewRuleOn = {{"severities", {{{"rule", kNewRule}, {"severity", "Deny"}}}}};

/// Faulty by the new rule alone, and not begun.
Json old_job(const std::string& name) {
  return training_job(name, {.nnodes = 1, .args = {}, .spec = {{"rendezvous", {{"port", 40000}}}, {"suspend", true}}});
}

/// The rule is known to every webhook: ten answers in a row refuse a job made now.
bool rule_stands(World& world) {
  Json job = old_job("new");
  job["metadata"]["namespace"] = world.ns();
  for (int i = 0; i < 10; ++i) {
    const auto reply = world.api().create(kube::kTrainingJobs, world.ns(), job, {.dry_run = true});
    if (reply.ok() || reply.error().text().find(kNewRule) == std::string::npos) return false;
  }
  return true;
}

kube::Reply patch(World& world, const std::string& job, const Json& what) {
  return world.api().merge_patch(kube::kTrainingJobs, world.ns(), job, what);
}

TEST(Upgrade, AJobThatANewRuleRefusesIsChangedSuspendedAndDeletedAsBefore) {
  ROLLCALL_WORLD(world);
  world.start(old_job("old"));
  world.wait_for_phase("old", "Suspended", seconds(30));
  const NamespacePolicy policy(world, "new-rule", kNewRuleOn);
  ASSERT_TRUE(World::eventually(seconds(20), [&] { return rule_stands(world); }));

  for (const Json& change :
       {Json{{"metadata", {{"labels", {{"team", "a"}}}, {"finalizers", {"example.com/mine"}}}}},
        Json{{"metadata", {{"annotations", {{"note", "kept"}}}}}}, Json{{"spec", {{"activeDeadlineSeconds", 3600}}}},
        Json{{"spec", {{"suspend", true}, {"rollCall", {{"holdSeconds", 60}}}}}}}) {
    const auto reply = patch(world, "old", change);
    EXPECT_TRUE(reply.ok()) << change.dump() << ": " << reply.error().text();
  }
  // What is wrong since now is refused, what was wrong before is not held against it.
  const auto worse = patch(world, "old", {{"spec", {{"worldSize", 7}}}});
  ASSERT_FALSE(worse.ok());
  EXPECT_THAT(worse.error().text(), AllOf(HasSubstr("world/size-is-not-the-product"), Not(HasSubstr(kNewRule))));

  // Deleted, with a finalizer that somebody takes off later.
  ASSERT_TRUE(world.api().remove(kube::kTrainingJobs, world.ns(), "old").ok());
  ASSERT_TRUE(world.job("old")["metadata"].contains("deletionTimestamp"));
  const auto freed = patch(world, "old", {{"metadata", {{"finalizers", nullptr}}}});
  EXPECT_TRUE(freed.ok()) << freed.error().text();
  EXPECT_TRUE(World::eventually(seconds(10), [&] { return world.job("old").empty(); }));
}

TEST(Upgrade, ANamespaceWithAJobThatANewRuleRefusesIsDeleted) {
  ROLLCALL_WORLD(world);
  world.start(old_job("old"));
  world.wait_for_phase("old", "Suspended", seconds(30));
  const NamespacePolicy policy(world, "new-rule", kNewRuleOn);
  ASSERT_TRUE(World::eventually(seconds(20), [&] { return rule_stands(world); }));
  ASSERT_TRUE(world.api().remove(kube::kNamespaces, "", world.ns()).ok());
  EXPECT_TRUE(World::eventually(seconds(60), [&] {
    const auto reply = world.api().get(kube::kNamespaces, "", world.ns());
    return !reply.ok() && reply.error().not_found();
  }));
}

TEST(Upgrade, RollingForwardAndBackLosesNoJobNoReviewAndNoAuthority) {
  ROLLCALL_WORLD(world);
  world.start(training_job("trains", {.nnodes = 2, .args = {"--meet", "--seconds", "40"}}));
  world.wait_for_phase("trains", "Running", seconds(90));
  NodeRule wall = wall_between_nodes(2, 3);
  world.start(training_job("held"));
  world.wait_for_phase("held", "Held", seconds(90));
  const auto training = pod_uids(world, "trains");
  const auto waiting = pod_uids(world, "held");

  AddOn add_on(world);
  const std::string authority = add_on.ca_bundle();
  const std::string old_operator = add_on.holder("rollcall-operator");
  const std::string old_desk = add_on.holder("rollcall-desk");
  Admissions admissions(world);
  const std::string upgrade =
      "helm upgrade rollcall charts/rollcall -n rollcall-system --reset-then-reuse-values --wait";
  const Said forward = documented(upgrade, {}, {{"--wait", "--wait --set podAnnotations.e2e=" + world.ns()}});
  ASSERT_TRUE(forward.ok()) << forward.text;
  for (const char* program : kPrograms) {
    ASSERT_TRUE(World::eventually(seconds(60), [&] { return add_on.rolled_out(program); })) << program;
    for (const Json& pod : add_on.pods(program)) {
      if (pod["metadata"].contains("deletionTimestamp")) continue;  // of before, and still answering
      EXPECT_EQ(pod["metadata"]["annotations"].value("e2e", ""), world.ns()) << "not rolled out: " << program;
    }
  }
  const auto another_leads = [&] {
    const auto now_operator = add_on.holder("rollcall-operator");
    const auto now_desk = add_on.holder("rollcall-desk");
    return !now_operator.empty() && now_operator != old_operator && !now_desk.empty() && now_desk != old_desk;
  };
  EXPECT_TRUE(World::eventually(seconds(30), another_leads));
  EXPECT_EQ(add_on.ca_bundle(), authority);
  EXPECT_FALSE(world.roll_call("held")["status"].contains("verdict")) << "it waits on";

  const Said back = documented("helm rollback rollcall -n rollcall-system --wait");
  ASSERT_TRUE(back.ok()) << back.text;
  admissions.stop();
  EXPECT_THAT(admissions.others(), IsEmpty()) << "of " << admissions.refused_by_rule() << " reviews";
  EXPECT_GT(admissions.refused_by_rule(), 5);
  EXPECT_EQ(add_on.ca_bundle(), authority);

  wall.remove();
  for (const char* job : {"trains", "held"}) {
    const Json seen = world.wait_for_phase(job, "Succeeded", seconds(180));
    EXPECT_EQ(seen["status"].value("attempt", 0), 1) << job;
    EXPECT_EQ(seen["status"].value("retriesUsed", -1), 0) << job;
  }
  EXPECT_EQ(pod_uids(world, "trains"), training);
  EXPECT_EQ(pod_uids(world, "held"), waiting) << "the pods that waited are those that trained";
}

}  // namespace
}  // namespace rollcall::e2e
