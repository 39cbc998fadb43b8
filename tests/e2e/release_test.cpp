// The sound path: called, released with one true set of launch values, trained to the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "e2e/world.h"

namespace rollcall::e2e {
namespace {

TEST(Release, ASoundJobIsCalledReleasedAndTrainedToTheEnd) {
  ROLLCALL_WORLD(world);
  world.start(training_job("sound"));
  const Json job = world.wait_for_phase("sound", "Succeeded", seconds(90));
  EXPECT_EQ(condition(job, "RollCallPassed"), "True");
  EXPECT_EQ(condition(job, "Released"), "True");
  EXPECT_EQ(condition(job, "Complete"), "True");
  EXPECT_EQ(job["status"].value("answered", ""), "3/3");

  const auto pods = world.pods("sound");
  ASSERT_EQ(pods.size(), 3U);
  const std::string master = pods[0]["status"].value("podIP", "");
  std::set<std::string> ranks;
  for (const Json& pod : pods) {
    const std::string log = world.log(pod["metadata"]["name"], "trainer");
    EXPECT_EQ(printed(log, "MASTER_ADDR"), master) << log;
    EXPECT_EQ(printed(log, "MASTER_PORT"), "29500");
    EXPECT_EQ(printed(log, "NNODES"), "3");
    ranks.insert(printed(log, "NODE_RANK").value_or("none"));
    EXPECT_THAT(log, testing::HasSubstr("trainer done"));
  }
  EXPECT_THAT(ranks, testing::ElementsAre("0", "1", "2"));

  const Json call = world.roll_call("sound");
  ASSERT_FALSE(call.is_null());
  EXPECT_EQ(call["status"]["verdict"]["kind"], "Released");
  EXPECT_EQ(call["status"]["masterAddr"], master);
}

TEST(Release, KubectlWaitSeesComplete) {
  ROLLCALL_WORLD(world);
  world.start(training_job("waited", {.nnodes = 1, .args = {}}));
  const std::string command = "kubectl -n " + world.ns() + " wait --for=condition=Complete tj/waited --timeout=60s";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Release, ASingleNodeNeedsNoMesh) {
  ROLLCALL_WORLD(world);
  world.start(training_job("alone", {.nnodes = 1, .args = {}}));
  world.wait_for_phase("alone", "Succeeded", seconds(60));
  const Json call = world.roll_call("alone");
  for (const Json& stage : call["status"]["stages"]) {
    if (stage["name"] == "Mesh") {
      EXPECT_EQ(stage["state"], "Skipped");
      EXPECT_NE(stage.value("reason", ""), "");
    }
  }
}

TEST(Release, GpuStagesAreSkippedWithTheReasonWhenTheJobAsksForNone) {
  ROLLCALL_WORLD(world);
  world.start(training_job("cpu", {.nnodes = 2}));
  world.wait_for_phase("cpu", "Succeeded", seconds(60));
  bool seen = false;
  const Json call = world.roll_call("cpu");
  for (const Json& stage : call["status"]["stages"]) {
    if (stage["name"] != "Gpu") continue;
    seen = true;
    EXPECT_EQ(stage["state"], "Skipped");
    EXPECT_EQ(stage["reason"], "the job asks for no GPU");
  }
  EXPECT_TRUE(seen);
}

TEST(Release, ModeOffHandsOverTheAddressAndRunsNoStage) {
  ROLLCALL_WORLD(world);
  world.start(training_job("off", {.nnodes = 2, .roll_call = {{"mode", "Off"}}}));
  world.wait_for_phase("off", "Succeeded", seconds(60));
  for (const Json& stage : world.roll_call("off")["status"]["stages"]) {
    const std::string name = stage["name"];
    if (name == "Mesh" || name == "MasterPort" || name == "Comparison") {
      EXPECT_EQ(stage["state"], "Skipped") << name;
    }
  }
}

TEST(Release, AFailedTrainerFailsTheJobAndNamesTheNodeRankAndCode) {
  ROLLCALL_WORLD(world);
  world.start(training_job("bad-end", {.nnodes = 2, .args = {"--meet", "--exit", "3"}}));
  const Json job = world.wait_for_phase("bad-end", "Failed", seconds(60));
  EXPECT_EQ(condition(job, "Failed"), "True");
  EXPECT_THAT(message(job), testing::AllOf(testing::HasSubstr("node rank"), testing::HasSubstr("3")));
}

}  // namespace
}  // namespace rollcall::e2e
