// Programs, machines and networks that die at the worst moment: no trainer starts with a wrong address, no job is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "e2e/world.h"

namespace rollcall::e2e {
namespace {

using testing::HasSubstr;

/// Every trainer that printed anything printed the address of node rank 0 of its own attempt.
void expect_true_addresses(World& world, const std::string& job) {
  const auto pods = world.pods(job);
  ASSERT_FALSE(pods.empty());
  const std::string master = pods[0]["status"].value("podIP", "");
  for (const Json& pod : pods) {
    const std::string log = world.log(pod["metadata"]["name"], "trainer");
    const auto address = printed(log, "MASTER_ADDR");
    if (address) {
      EXPECT_EQ(*address, master) << pod["metadata"]["name"];
    }
  }
}

bool trainer_started(const Json& pod) {
  for (const Json& status : pod["status"].value("containerStatuses", Json::array())) {
    if (status["state"].contains("running") || status["state"].contains("terminated")) return true;
  }
  return false;
}

struct Killed {
  std::string component;  // operator or desk
  std::string stage;      // a stage of the RollCall, or "" for before there is one
};

class KilledAtAStage : public testing::TestWithParam<Killed> {};

TEST_P(KilledAtAStage, TheJobIsTrainedAndEveryAddressIsTrue) {
  ROLLCALL_WORLD(world);
  world.start(training_job("killed"));
  if (!GetParam().stage.empty()) {
    // A stage may be passed by the time we look; what counts is that the kill falls at or after it and before the end.
    World::eventually(seconds(60), [&] {
      const Json call = world.roll_call("killed");
      return call.is_object() && call.contains("status") &&
             (call["status"].value("stage", "") == GetParam().stage || call["status"].contains("verdict"));
    });
  }
  cluster({"kill", GetParam().component});
  world.wait_for_phase("killed", "Succeeded", seconds(150));
  expect_true_addresses(world, "killed");
}

INSTANTIATE_TEST_SUITE_P(Components, KilledAtAStage,
                         testing::Values(Killed{"operator", ""}, Killed{"operator", "Gathering"},
                                         Killed{"operator", "MasterPort"}, Killed{"operator", "Mesh"},
                                         Killed{"operator", "Released"}, Killed{"desk", ""},
                                         Killed{"desk", "Gathering"}, Killed{"desk", "MasterPort"},
                                         Killed{"desk", "Mesh"}, Killed{"desk", "Released"}),
                         [](const auto& instance) {
                           return instance.param.component +
                                  (instance.param.stage.empty() ? "AtStart" : instance.param.stage);
                         });

TEST(Restarts, DeskAndOperatorKilledWhileHeldReleaseTheSamePodsLater) {
  ROLLCALL_WORLD(world);
  NodeRule wall = wall_between_nodes(2, 3);
  world.start(training_job("held-killed"));
  world.wait_for_phase("held-killed", "Held", seconds(90));
  const auto before = world.pods("held-killed");
  cluster({"kill", "desk"});
  cluster({"kill", "operator"});
  wall.remove();
  world.wait_for_phase("held-killed", "Succeeded", seconds(180));
  const auto after = world.pods("held-killed");
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(before[i]["metadata"]["uid"], after[i]["metadata"]["uid"]);
  expect_true_addresses(world, "held-killed");
}

bool probe_runs(const Json& pod) {
  for (const Json& status : pod["status"].value("initContainerStatuses", Json::array())) {
    if (status["name"] == "rollcall" && status["state"].contains("running")) return true;
  }
  return false;
}

TEST(Restarts, AKubeletThatDoesNotSeeTheAnnotationsIsNamedAndNoTrainerStarts) {
  ROLLCALL_WORLD(world);
  // The desk stands still until every probe runs and the kubelet of node 2 is cut off from the API server: so no
  // annotation can have reached it.
  cluster({"kill", "--signal", "STOP", "desk"});
  world.start(training_job("cut"));
  const bool all_run = World::eventually(seconds(20), [&] {
    const auto pods = world.pods("cut");
    return pods.size() == 3 && std::all_of(pods.begin(), pods.end(), probe_runs);
  });
  // Both directions: with one alone the API server's words still arrive, though nothing goes back.
  NodeRule cut(2, "OUTPUT", {"-p", "tcp", "--dport", "16443", "-j", "DROP"});
  NodeRule deaf(2, "INPUT", {"-p", "tcp", "--sport", "16443", "-j", "DROP"});
  cluster({"kill", "--signal", "CONT", "desk"});
  ASSERT_TRUE(all_run);
  const Json job = world.wait_for_phase("cut", "Held", seconds(120));
  EXPECT_THAT(message(job), testing::AllOf(HasSubstr("node-2"), HasSubstr("annotations")));
  for (const Json& pod : world.pods("cut")) EXPECT_FALSE(trainer_started(pod)) << pod["metadata"]["name"];
  cut.remove();
  deaf.remove();
  world.wait_for_phase("cut", "Succeeded", seconds(240));
  expect_true_addresses(world, "cut");
}

TEST(Restarts, AContainerWhoseAddressTheKubeletDoesNotKnowIsNotMadeUntilItDoes) {
  ROLLCALL_WORLD(world);
  // The guard in the trainer's mounts alone, in a plain pod without the annotation: what a kubelet does that starts the
  // trainer from a snapshot older than the annotation.
  const Json env = Json::array(
      {{{"name", "MASTER_ADDR"},
        {"valueFrom", {{"fieldRef", {{"fieldPath", "metadata.annotations['rollcall.dev/master-addr']"}}}}}}});
  const Json mounts = Json::array({{{"name", "bin"},
                                    {"mountPath", "/rollcall/address"},
                                    {"subPathExpr", "$(MASTER_ADDR)/seen"},
                                    {"readOnly", true}}});
  world.create(kube::kPods, {{"apiVersion", "v1"},
                             {"kind", "Pod"},
                             {"metadata", {{"name", "guarded"}}},
                             {"spec",
                              {{"restartPolicy", "Never"},
                               {"containers", Json::array({{{"name", "trainer"},
                                                            {"image", "rollcall/e2e-trainer:dev"},
                                                            {"imagePullPolicy", "IfNotPresent"},
                                                            {"env", env},
                                                            {"volumeMounts", mounts}}})},
                               {"volumes", Json::array({{{"name", "bin"}, {"emptyDir", Json::object()}}})}}}});
  const auto state = [&] {
    const auto pod = world.api().get(kube::kPods, world.ns(), "guarded");
    const Json statuses = pod ? pod.value()["status"].value("containerStatuses", Json::array()) : Json::array();
    return statuses.empty() ? Json::object() : statuses[0]["state"];
  };
  ASSERT_TRUE(World::eventually(seconds(30), [&] {
    const Json now = state();
    return now.contains("waiting") && now["waiting"].value("reason", "") == "CreateContainerConfigError";
  })) << state().dump();
  ASSERT_TRUE(world.api()
                  .merge_patch(kube::kPods, world.ns(), "guarded",
                               {{"metadata", {{"annotations", {{"rollcall.dev/master-addr", "10.9.8.7"}}}}}})
                  .ok());
  ASSERT_TRUE(World::eventually(seconds(30), [&] { return state().contains("terminated"); })) << state().dump();
  EXPECT_EQ(printed(world.log("guarded", "trainer"), "MASTER_ADDR"), "10.9.8.7");
}

TEST(Restarts, TheApiServerRestartsWhileHeld) {
  ROLLCALL_WORLD(world);
  NodeRule wall = wall_between_nodes(2, 3);
  world.start(training_job("api-down"));
  world.wait_for_phase("api-down", "Held", seconds(90));
  cluster({"restart", "apiserver"});
  wall.remove();
  world.wait_for_phase("api-down", "Succeeded", seconds(240));
  expect_true_addresses(world, "api-down");
}

TEST(Restarts, ASandboxKilledInMidRollCallEndsTheAttemptAndTheNextOneTrains) {
  ROLLCALL_WORLD(world);
  NodeRule wall = wall_between_nodes(2, 3);
  world.start(training_job("sandbox"));
  world.wait_for_phase("sandbox", "Held", seconds(90));
  const auto pods = world.pods("sandbox");
  const Json& victim = pods[0];
  cluster({"kill-sandbox", std::to_string(node_number(victim["spec"]["nodeName"])),
           world.ns() + "/" + victim["metadata"]["name"].get<std::string>()});
  wall.remove();
  const Json job = world.wait_for_phase("sandbox", "Succeeded", seconds(240));
  EXPECT_EQ(job["status"].value("attempt", 0), 2);
  EXPECT_EQ(world.roll_call("sandbox", 1)["status"]["verdict"]["reason"], "PodLost");
  expect_true_addresses(world, "sandbox");
}

TEST(Restarts, AJobDeletedAndRecreatedUnderTheSameNameHasNothingOfTheOldOne) {
  ROLLCALL_WORLD(world);
  NodeRule wall = wall_between_nodes(2, 3);
  world.start(training_job("again"));
  const Json old = world.wait_for_phase("again", "Held", seconds(90));
  const auto old_pods = world.pods("again");
  ASSERT_TRUE(world.api().remove(kube::kTrainingJobs, world.ns(), "again").ok());
  wall.remove();
  world.start(training_job("again"));
  const Json job = world.wait_for_phase("again", "Succeeded", seconds(180));
  EXPECT_NE(job["metadata"]["uid"], old["metadata"]["uid"]);
  for (const Json& pod : world.pods("again")) {
    for (const Json& old_pod : old_pods) EXPECT_NE(pod["metadata"]["uid"], old_pod["metadata"]["uid"]);
    EXPECT_EQ(pod["metadata"]["ownerReferences"][0]["uid"], job["metadata"]["uid"]);
  }
  EXPECT_EQ(world.roll_call("again")["spec"]["job"]["uid"], job["metadata"]["uid"]);
  expect_true_addresses(world, "again");
}

}  // namespace
}  // namespace rollcall::e2e
