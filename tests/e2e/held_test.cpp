// What makes such jobs hang: the roll call holds them, names the cause, and releases the same pods when it is gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/world.h"

namespace rollcall::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string uid_of(const Json& pod) { return pod["metadata"].value("uid", ""); }
/// A job whose pods stand on three nodes; it is held at once since one node walls off another.
struct HeldJob {
  Json job;
  std::vector<Json> pods;
};

HeldJob start_held(World& world, const std::string& name, JobOptions options = {}) {
  world.start(training_job(name, options));
  HeldJob held;
  held.job = world.wait_for_phase(name, "Held", seconds(90));
  held.pods = world.pods(name);
  return held;
}

TEST(Held, AOneWayWallNamesPairDirectionAndPortsAndTheSamePodsAreReleasedWhenItIsGone) {
  ROLLCALL_WORLD(world);
  NodeRule wall = wall_between_nodes(2, 3);
  const HeldJob held = start_held(world, "walled");
  const std::string words = message(held.job);
  EXPECT_THAT(words, AllOf(HasSubstr("node-3"), HasSubstr("node-2"), HasSubstr("drops new connections from"),
                           HasSubstr("ports")));
  EXPECT_LT(words.find("node-3"), words.find("node-2")) << "the node that drops comes first: " << words;
  EXPECT_THAT(words, HasSubstr("kubectl annotate tj walled rollcall.dev/release="));
  EXPECT_NE(condition(held.job, "Released"), "True");
  wall.remove();
  world.wait_for_phase("walled", "Succeeded", seconds(120));
  const auto pods = world.pods("walled");
  ASSERT_EQ(pods.size(), held.pods.size());
  for (std::size_t i = 0; i < pods.size(); ++i)
    EXPECT_EQ(uid_of(pods[i]), uid_of(held.pods[i])) << "the same pods train";
}

TEST(Held, AnOverrideReleasesWithinFiveSecondsWithItsEvent) {
  ROLLCALL_WORLD(world);
  const NodeRule wall = wall_between_nodes(2, 3);
  start_held(world, "forced", {.args = {}});
  world.annotate("forced", "rollcall.dev/release", "we know this wall");
  const auto begin = std::chrono::steady_clock::now();
  world.wait_for("forced", "released", seconds(20),
                 [&](const Json&) { return world.roll_call("forced")["status"].contains("verdict"); });
  EXPECT_LE(std::chrono::steady_clock::now() - begin, seconds(5));
  const Json call = world.roll_call("forced");
  EXPECT_EQ(call["status"]["verdict"]["kind"], "Released");
  EXPECT_EQ(call["status"]["verdict"].value("overridden", false), true);
  world.wait_for_phase("forced", "Succeeded", seconds(60));
  EXPECT_TRUE(World::eventually(seconds(10), [&] {
    for (const Json& event : world.events("forced")) {
      if (event.value("message", "").find("we know this wall") != std::string::npos) return true;
    }
    return false;
  }));
}

TEST(Held, ObserveReleasesWhateverWasFoundAndKeepsTheFinding) {
  ROLLCALL_WORLD(world);
  const NodeRule wall = wall_between_nodes(2, 3);
  world.start(training_job("observed", {.args = {}, .roll_call = {{"mode", "Observe"}}}));
  world.wait_for_phase("observed", "Succeeded", seconds(90));
  EXPECT_FALSE(world.roll_call("observed")["status"]["findings"].empty());
}

TEST(Held, SuspendDuringHeldEndsTheAttemptSpendsNothingAndResumeTrains) {
  ROLLCALL_WORLD(world);
  NodeRule wall = wall_between_nodes(2, 3);
  start_held(world, "paused");
  const auto suspend = [&](bool on) {
    ASSERT_TRUE(world.api().merge_patch(kube::kTrainingJobs, world.ns(), "paused", {{"spec", {{"suspend", on}}}}).ok());
  };
  suspend(true);
  const Json job = world.wait_for_phase("paused", "Suspended", seconds(60));
  EXPECT_EQ(job["status"].value("retriesUsed", 0), 0);
  EXPECT_TRUE(World::eventually(seconds(30), [&] { return world.pods("paused").empty(); }));
  const Json verdict = world.roll_call("paused")["status"]["verdict"];
  EXPECT_EQ(verdict["kind"], "Ended");
  EXPECT_EQ(verdict["reason"], "Suspended");
  wall.remove();
  suspend(false);
  world.wait_for_phase("paused", "Succeeded", seconds(120));
}

TEST(Held, HoldSecondsOverEndsTheAttemptAndTheNextOneIsReleasedWhenTheWallIsGone) {
  ROLLCALL_WORLD(world);
  NodeRule wall = wall_between_nodes(2, 3);
  start_held(world, "expired", {.roll_call = {{"holdSeconds", 20}, {"retries", 2}}});
  EXPECT_TRUE(World::eventually(seconds(90), [&] {
    const Json call = world.roll_call("expired", 1);
    return call["status"].contains("verdict") && call["status"]["verdict"].value("reason", "") == "HoldExpired";
  }));
  wall.remove();
  const Json job = world.wait_for_phase("expired", "Succeeded", seconds(180));
  EXPECT_EQ(job["status"].value("retriesUsed", 0), 1);
}

TEST(Held, AStaleProcessOnMasterPortOfTheHostNetworkIsNamed) {
  ROLLCALL_WORLD(world);
  // Node rank 0's node is not known before it is scheduled, so a stale listener stands on each.
  std::vector<std::unique_ptr<NodeProcess>> stale;
  for (const int n : {1, 2, 3}) {
    stale.push_back(std::make_unique<NodeProcess>(
        n, std::vector<std::string>{"env", "MASTER_PORT=29500", "NNODES=2", "NODE_RANK=0",
                                    std::string(ROLLCALL_BIN_DIR) + "/e2e-trainer", "--meet"}));
  }
  const HeldJob held = start_held(world, "stale", {.nnodes = 2, .pod_spec = {{"hostNetwork", true}}});
  EXPECT_THAT(message(held.job),
              AllOf(HasSubstr("29500"), HasSubstr(held.pods[0]["spec"]["nodeName"].get<std::string>())));
  stale.clear();
  world.wait_for_phase("stale", "Succeeded", seconds(120));
}

TEST(Held, NvidiaGpusAskedForAndNotVisibleHoldTheJob) {
  ROLLCALL_WORLD(world);
  for (const int n : {1, 2, 3}) cluster({"gpus", std::to_string(n), "8"});
  const Json gpus = {{"resources", {{"limits", {{"nvidia.com/gpu", "2"}}}}}};
  const HeldJob held = start_held(world, "blind", {.nnodes = 2, .args = {}, .trainer = gpus});
  EXPECT_THAT(message(held.job),
              AllOf(HasSubstr("0 of the 2 nvidia.com/gpu"), HasSubstr("can be opened in the container")));
}

}  // namespace
}  // namespace rollcall::e2e
