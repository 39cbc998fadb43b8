// Rollcall is taken off while jobs train and wait, and comes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/add_on.h"

namespace rollcall::e2e {
namespace {

using testing::HasSubstr;

TEST(Uninstall, RunningJobsGoOnWaitingOnesEndInTimeAndAllAreTakenUpAgain) {
  ROLLCALL_WORLD(world);
  // A silence of 20 + 25 s ends a probe of `short`; `held` waits for longer than this test takes.
  const NamespacePolicy policy(world, "hold", kHoldsEveryJob);
  const auto one = [](Json roll_call) {
    return JobOptions{.nnodes = 1, .args = {}, .roll_call = std::move(roll_call)};
  };
  world.start(
      training_job("trains", {.nnodes = 2, .args = {"--meet", "--seconds", "30"}, .roll_call = {{"mode", "Observe"}}}));
  world.wait_for_phase("trains", "Running", seconds(90));
  world.start(training_job("held", one(Json::object())));
  world.start(training_job("short", one({{"waitForPodsSeconds", 20}, {"holdSeconds", 25}})));
  world.wait_for_phase("held", "Held", seconds(60));
  world.wait_for_phase("short", "Held", seconds(30));
  ASSERT_EQ(phase(world.job("trains")), "Running");

  AddOn add_on(world);
  const Said off = documented("helm uninstall rollcall -n rollcall-system --wait");
  ASSERT_TRUE(off.ok()) << off.text;
  EXPECT_TRUE(add_on.webhook_configuration().empty());
  for (const char* program : kPrograms) EXPECT_TRUE(add_on.deployment(program).empty()) << program;
  const Said hook = kubectl({"-n", kAddOnNamespace, "get", "job,serviceaccount,clusterrole,clusterrolebinding", "-A",
                             "-l", "app.kubernetes.io/instance=rollcall", "-o", "name"});
  EXPECT_EQ(hook.text, "") << "nothing of the hook or the rights stays";

  // What stays, and is of use without Rollcall.
  for (const char* job : {"trains", "held", "short"}) EXPECT_FALSE(world.job(job).empty()) << job;
  world.start(faulty_job("unread"));
  EXPECT_TRUE(world.api().remove(kube::kTrainingJobs, world.ns(), "unread").ok());
  EXPECT_TRUE(World::eventually(seconds(10), [&] { return world.job("unread").empty(); }));
  // Trainers end well; nobody writes it down.
  EXPECT_TRUE(World::eventually(seconds(90), [&] { return all_pods(world, "trains", "Succeeded"); }));
  EXPECT_EQ(phase(world.job("trains")), "Running");
  // A probe that hears nothing for long enough ends, and says why; another waits on.
  EXPECT_TRUE(World::eventually(seconds(90), [&] { return all_pods(world, "short", "Failed"); }));
  EXPECT_TRUE(all_pods(world, "held", "Pending"));

  add_on.install();
  world.wait_for_phase("trains", "Succeeded", seconds(60));
  EXPECT_EQ(world.job("trains")["status"].value("attempt", 0), 1);
  const Said deleted = documented("kubectl delete pods -l rollcall.dev/job-name=JOB", world.ns(), {{"JOB", "held"}});
  ASSERT_TRUE(deleted.ok()) << deleted.text;
  const auto held_again = [](const Json& job) { return job["status"].value("attempt", 0) > 1 && phase(job) == "Held"; };
  for (const char* job : {"held", "short"}) {
    world.wait_for(job, "held in a later attempt", seconds(120), held_again);
    world.annotate(job, "rollcall.dev/release", "the test is over");
    world.wait_for_phase(job, "Succeeded", seconds(60));
  }
}

TEST(Uninstall, WithoutNodesForTheHookItIsDoneByHand) {
  ROLLCALL_WORLD(world);
  AddOn add_on(world);
  const Said off = documented("kubectl delete validatingwebhookconfiguration rollcall");
  ASSERT_TRUE(off.ok()) << off.text;
  const Said gone = documented("helm uninstall rollcall -n rollcall-system --no-hooks");
  ASSERT_TRUE(gone.ok()) << gone.text;
  EXPECT_THAT(helm({"status", "rollcall", "--namespace", kAddOnNamespace}).text, HasSubstr("not found"));
  world.start(training_job("unread", {.nnodes = 1}));
  EXPECT_TRUE(world.api().remove(kube::kTrainingJobs, world.ns(), "unread").ok());
}

}  // namespace
}  // namespace rollcall::e2e
