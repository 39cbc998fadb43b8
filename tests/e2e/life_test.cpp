// A job's life on real kubelets: its deadline, its time after the end, suspension while it trains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "e2e/world.h"

namespace rollcall::e2e {
namespace {

using testing::HasSubstr;

void set_spec(World& world, const std::string& job, const Json& spec) {
  const auto reply = world.api().merge_patch(kube::kTrainingJobs, world.ns(), job, {{"spec", spec}});
  ASSERT_TRUE(reply.ok()) << reply.error().text();
}

JobOptions training_for(int run_seconds, Json spec = Json::object()) {
  return {.nnodes = 2, .args = {"--meet", "--seconds", std::to_string(run_seconds)}, .spec = std::move(spec)};
}

bool gone(World& world, const std::string& job) {
  const auto reply = world.api().get(kube::kTrainingJobs, world.ns(), job);
  return !reply.ok() && reply.error().not_found();
}

TEST(Life, ADeadlineEndsARunningJobAndItsTrainersAndKeepsTheirLogs) {
  ROLLCALL_WORLD(world);
  world.start(training_job("late", training_for(600, {{"activeDeadlineSeconds", 8}})));
  world.wait_for_phase("late", "Running", seconds(90));
  const Json job = world.wait_for_phase("late", "Failed", seconds(30));
  EXPECT_EQ(condition_reason(job, "Failed"), "DeadlineExceeded");
  EXPECT_THAT(message(job), HasSubstr("spec.activeDeadlineSeconds (8) is over"));
  EXPECT_TRUE(World::eventually(seconds(45), [&] {
    for (const Json& pod : world.pods("late")) {
      if (pod["status"].value("phase", "") != "Failed") return false;
    }
    return true;
  })) << "the trainers are ended";
  for (const Json& pod : world.pods("late"))
    EXPECT_TRUE(printed(world.log(pod["metadata"]["name"], "trainer"), "MASTER_ADDR")) << "the logs stay";
}

TEST(Life, TheFinishedJobIsDeletedAfterItsTimeWithAllItOwns) {
  ROLLCALL_WORLD(world);
  world.start(training_job("brief", training_for(0, {{"ttlSecondsAfterFinished", 3600}})));
  world.wait_for_phase("brief", "Succeeded", seconds(120));
  set_spec(world, "brief", {{"ttlSecondsAfterFinished", 0}});
  EXPECT_TRUE(World::eventually(seconds(15), [&] { return gone(world, "brief"); })) << "a changed time counts anew";
  EXPECT_TRUE(World::eventually(seconds(60), [&] {
    return world.pods("brief").empty() && world.roll_call("brief").is_null();
  })) << "pods and RollCalls go with it";
}

TEST(Life, SuspendedWhileRunningTrainsAgainInTheNextAttemptAndSpendsNothing) {
  ROLLCALL_WORLD(world);
  world.start(training_job("paused-run", training_for(10, {{"activeDeadlineSeconds", 3600}})));
  world.wait_for_phase("paused-run", "Running", seconds(90));
  set_spec(world, "paused-run", {{"suspend", true}});
  world.wait_for_phase("paused-run", "Suspended", seconds(30));
  EXPECT_TRUE(World::eventually(seconds(60), [&] { return world.pods("paused-run").empty(); }));
  const Json end = world.roll_call("paused-run")["status"].value("end", Json::object());
  EXPECT_EQ(end.value("reason", ""), "Suspended");
  set_spec(world, "paused-run", {{"suspend", false}});
  const Json job = world.wait_for_phase("paused-run", "Succeeded", seconds(120));
  EXPECT_EQ(job["status"].value("attempt", 0), 2);
  EXPECT_EQ(job["status"].value("retriesUsed", -1), 0);
  EXPECT_GE(job["status"].value("suspendedSeconds", 0), 1) << "not counted by the deadline";
}

TEST(Life, ASucceededRankWhosePodIsDeletedStaysSucceeded) {
  ROLLCALL_WORLD(world);
  // 5 s on node rank 0, 15 s on node rank 1.
  world.start(training_job("uneven", {.nnodes = 2, .args = {"--seconds", "$(NODE_RANK)5"}}));
  world.wait_for("uneven", "node rank 0 succeeded", seconds(120),
                 [](const Json& job) { return job.value("status", Json::object()).value("succeeded", "") == "0"; });
  const auto pods = world.pods("uneven");
  ASSERT_TRUE(world.api().remove(kube::kPods, world.ns(), pods.at(0)["metadata"]["name"].get<std::string>()).ok());
  const Json job = world.wait_for_phase("uneven", "Succeeded", seconds(60));
  EXPECT_EQ(job["status"].value("attempt", 0), 1) << "no attempt was lost";
}

TEST(Life, TwoJobsOfTheHostNetworkWithOnePortNeverShareANode) {
  ROLLCALL_WORLD(world);
  const auto host = [](const char* name) {
    return training_job(name, {.nnodes = 1,
                               .args = {"--seconds", "20"},
                               .roll_call = {{"mode", "Off"}},
                               .pod_spec = {{"hostNetwork", true}}});
  };
  for (const char* name : {"port-a", "port-b", "port-c", "port-d"}) world.start(host(name));
  // Three nodes: the fourth waits, and says for which port.
  std::string waiting;
  EXPECT_TRUE(World::eventually(seconds(60), [&] {
    for (const char* name : {"port-a", "port-b", "port-c", "port-d"}) {
      const auto words = message(world.job(name));
      if (words.find("free ports") != std::string::npos) waiting = words;
    }
    return !waiting.empty();
  }));
  EXPECT_THAT(waiting, HasSubstr("MASTER_PORT 29500"));
  std::set<std::string> nodes;
  for (const char* name : {"port-a", "port-b", "port-c", "port-d"}) {
    for (const Json& pod : world.pods(name)) {
      const auto node = pod["spec"].value("nodeName", "");
      if (node.empty()) continue;
      EXPECT_TRUE(nodes.insert(node).second) << node << " has two";
    }
  }
}

}  // namespace
}  // namespace rollcall::e2e
