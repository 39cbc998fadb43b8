// The leader of desk or operator stands still for 20 s at each stage of a roll call; all replicas die at once; the API
// server is away for a minute. No job is lost, none is released wrongly, and none is stuck once it ends. Without
// ROLLCALL_LONG a few stand for all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "e2e/add_on.h"
#include "e2e/watchman.h"

namespace rollcall::e2e {
namespace {

struct Stopped {
  std::string program;  // operator or desk
  std::string stage;    // a stage of the RollCall, Held or Released
  bool always = false;  // without ROLLCALL_LONG too
};

/// What makes a stage last long enough to be hit; gone with lift().
class Slow {
 public:
  explicit Slow(const std::string& stage) {
    if (stage == "Mesh" || stage == "Held") {
      rule(3, "FORWARD", {"-s", "10.210.2.0/24", "-p", "tcp", "--syn", "--dport", "32768:60999", "-j", "DROP"});
    } else if (stage == "MasterPort") {
      for (const int node : {1, 2, 3}) rule(node, "FORWARD", {"-p", "tcp", "--syn", "--dport", "29500", "-j", "DROP"});
    }
  }
  /// Node 2's kubelet and the API server do not hear each other: no annotation reaches its pods.
  void deafen_node_2() {
    rule(2, "OUTPUT", {"-p", "tcp", "--dport", "16443", "-j", "DROP"});
    rule(2, "INPUT", {"-p", "tcp", "--sport", "16443", "-j", "DROP"});
  }
  void lift() { rules_.clear(); }

 private:
  void rule(int node, const std::string& chain, const std::vector<std::string>& words) {
    rules_.push_back(std::make_unique<NodeRule>(node, chain, words));
  }
  std::vector<std::unique_ptr<NodeRule>> rules_;
};

JobOptions options_for(const std::string& stage) {
  JobOptions options;
  // The roll call begins when the pods are there, and gathers until the last init container is over.
  if (stage == "Gathering")
    options.pod_spec["initContainers"] = Json::array({{{"name", "slow"},
                                                       {"image", options.image},
                                                       {"imagePullPolicy", "IfNotPresent"},
                                                       {"args", {"--seconds", "12"}}}});
  return options;
}

bool every_probe_runs(const std::vector<Json>& pods) {
  int running = 0;
  for (const Json& pod : pods) {
    for (const Json& status : pod["status"].value("initContainerStatuses", Json::array()))
      if (status["name"] == "rollcall" && status["state"].contains("running")) ++running;
  }
  return running == 3;
}

std::string stage_of(World& world) {
  const Json call = world.roll_call("job");
  return call.is_object() && call.contains("status") ? call["status"].value("stage", "") : "";
}

/// Every replica that stands still goes on when this ends, whatever became of the test.
class StandingStill {
 public:
  explicit StandingStill(const std::string& program) : program_(program) {
    cluster({"kill", "--signal", "STOP", "--leader", program});
  }
  ~StandingStill() { cluster({"kill", "--signal", "CONT", program_}); }
  StandingStill(const StandingStill&) = delete;
  StandingStill& operator=(const StandingStill&) = delete;

 private:
  std::string program_;
};

/// Time passes: it is the fault itself.
void let_pass(seconds time) {
  World::eventually(time, [] { return false; });
}

void expect_led(World& world) {
  AddOn add_on(world);
  EXPECT_TRUE(World::eventually(seconds(90), [&] {
    for (const char* program : kPrograms)
      if (!add_on.rolled_out(program)) return false;
    return !add_on.holder("rollcall-desk").empty() && !add_on.holder("rollcall-operator").empty();
  })) << "Rollcall itself is not well again";
}

class LeaderStandsStill : public testing::TestWithParam<Stopped> {};

TEST_P(LeaderStandsStill, TheJobIsTrainedInItsFirstAttempt) {
  const auto& [program, stage, always] = GetParam();
  if (!always && !std::getenv("ROLLCALL_LONG")) GTEST_SKIP() << "one of the long ones: ROLLCALL_LONG is not set";
  ROLLCALL_WORLD(world);
  expect_led(world);
  Watchman watchman(world);
  Slow slow(stage);
  world.start(training_job("job", options_for(stage)));
  if (stage == "AddressSeen") {
    // The kubelet must have started its probe and not know the address yet, which takes a desk that says nothing.
    cluster({"kill", "--signal", "STOP", "desk"});
    EXPECT_TRUE(World::eventually(seconds(30), [&] { return every_probe_runs(world.pods("job")); }));
    slow.deafen_node_2();
    cluster({"kill", "--signal", "CONT", "desk"});
  }
  ASSERT_TRUE(World::eventually(seconds(60), [&] { return stage_of(world) == stage; })) << stage_of(world);
  {
    const StandingStill still(program);
    // A desk that stands still leaves the stage as it was; a release lasts, whoever stops.
    if (program == "desk") {
      EXPECT_EQ(stage_of(world), stage) << "it was hit too late";
    }
    slow.lift();
    let_pass(seconds(20));
  }
  const Json job = world.wait_for_phase("job", "Succeeded", seconds(180));
  EXPECT_EQ(job["status"].value("attempt", 0), 1) << message(job);
  EXPECT_EQ(job["status"].value("retriesUsed", -1), 0);
  EXPECT_TRUE(World::eventually(seconds(10), [&] { return watchman.ledger().addresses_read() == 3; }));
  watchman.stop();
  expect_led(world);
}

INSTANTIATE_TEST_SUITE_P(Stages, LeaderStandsStill,
                         testing::Values(Stopped{"desk", "Gathering"}, Stopped{"desk", "MasterPort"},
                                         Stopped{"desk", "Mesh", true}, Stopped{"desk", "AddressSeen"},
                                         Stopped{"desk", "Held"}, Stopped{"desk", "Released"},
                                         Stopped{"operator", "Gathering"}, Stopped{"operator", "MasterPort"},
                                         Stopped{"operator", "Mesh"}, Stopped{"operator", "AddressSeen"},
                                         Stopped{"operator", "Held"}, Stopped{"operator", "Released", true}),
                         [](const auto& instance) { return instance.param.program + instance.param.stage; });

/// Three jobs in three states, for faults that hit all of them.
struct Fleet {
  explicit Fleet(World& world) : world_(world), wall_(wall_between_nodes(2, 3)) {
    world.start(training_job("trains", {.nnodes = 2, .args = {"--meet", "--seconds", "90"}, .roll_call = kOff}));
    world.wait_for_phase("trains", "Running", seconds(90));
    world.start(training_job("held"));
    world.wait_for_phase("held", "Held", seconds(90));
    Json slow = options_for("Gathering").pod_spec;
    world.start(training_job("gathers", {.nnodes = 2, .roll_call = kOff, .pod_spec = slow}));
  }
  void expect_all_trained() {
    wall_.remove();
    for (const char* name : {"trains", "held", "gathers"}) {
      const Json job = world_.wait_for_phase(name, "Succeeded", seconds(200));
      EXPECT_EQ(job["status"].value("attempt", 0), 1) << name << ": " << message(job);
    }
  }
  // The wall is for the held one alone: no mesh is walked here.
  inline static const Json kOff = {{"mode", "Off"}};

 private:
  World& world_;
  NodeRule wall_;
};

TEST(AllAtOnce, BothDesksAndBothOperatorsKilledLoseNoJob) {
  ROLLCALL_WORLD(world);
  expect_led(world);
  Watchman watchman(world);
  Fleet fleet(world);
  for (const char* program : {"desk", "operator", "webhook"}) cluster({"kill", program});
  fleet.expect_all_trained();
  watchman.stop();
  expect_led(world);
}

/// The API server comes back when this ends, whatever became of the test.
struct ApiServerAway {
  ApiServerAway() { cluster({"stop", "apiserver"}); }
  ~ApiServerAway() { cluster({"start", "apiserver"}); }
  ApiServerAway(const ApiServerAway&) = delete;
  ApiServerAway& operator=(const ApiServerAway&) = delete;
};

TEST(AllAtOnce, AnApiServerAwayForAMinuteLosesNoJob) {
  if (!std::getenv("ROLLCALL_LONG")) GTEST_SKIP() << "one of the long ones: ROLLCALL_LONG is not set";
  ROLLCALL_WORLD(world);
  expect_led(world);
  Watchman watchman(world);
  Fleet fleet(world);
  {
    const ApiServerAway away;
    let_pass(seconds(60));
  }
  fleet.expect_all_trained();
  watchman.stop();
  expect_led(world);
}

}  // namespace
}  // namespace rollcall::e2e
