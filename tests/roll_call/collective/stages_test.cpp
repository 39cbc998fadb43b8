#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "roll_call/collective/gpu_world.h"

// The stages NodeCollective, JobCollective, Localisation and Checks, whole roll calls long.
namespace rollcall::roll_call::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

void play(World& world, int exchanges = 60) {
  world.see_all();
  world.exchange(exchanges);
}

/// Every node named in a failing finding.
std::set<int> named(const World& world) {
  std::set<int> nodes;
  for (const auto& finding : world.status().findings) {
    if (finding.severity == "fail") nodes.insert(finding.node_ranks.begin(), finding.node_ranks.end());
  }
  return nodes;
}

TEST(Collectives, ASoundJobRunsBothAndIsReleased) {
  GpuWorld world(3, 2);
  play(world);
  EXPECT_THAT(world.stage_state("NodeCollective"), StartsWith("Passed: 64 MiB: lowest 100 GB/s"));
  EXPECT_THAT(world.stage_state("JobCollective"), StartsWith("Passed: 6 ranks, 64 MiB: 100 GB/s"));
  EXPECT_EQ(world.stage_state("Localisation"), "Skipped: no collective failed");
  EXPECT_EQ(world.stage_state("Checks"), "Skipped: the job has none");
  ASSERT_TRUE(world.asked) << world.status().message;
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
}

TEST(Collectives, OrdersSayWhoTakesPart) {
  GpuWorld world(3, 2);
  play(world);
  for (int node = 0; node < 3; ++node) {
    const auto& orders = world.orders[static_cast<std::size_t>(node)];
    ASSERT_EQ(orders.size(), 2u);
    EXPECT_EQ(orders[0].scope, CollectiveScope::Node);
    EXPECT_EQ(orders[0].nranks, 2);
    EXPECT_EQ(orders[0].deadline_ms, 70'000);
    EXPECT_EQ(orders[1].scope, CollectiveScope::Job);
    EXPECT_EQ(orders[1].nranks, 6);
    EXPECT_EQ(orders[1].first_rank, 2 * node);
    EXPECT_EQ(orders[1].gpus, (std::vector<int>{0, 1}));
    EXPECT_EQ(orders[1].deadline_ms, 100'900);
    EXPECT_EQ(orders[1].unique_id.empty(), node == 0);  // node rank 0 was asked first, to make it
    EXPECT_EQ(orders[1].large_bytes, 64 << 20);
  }
}

TEST(Collectives, ThePolicyScalesDeadlinesAndDoublesMoveLess) {
  GpuWorld world(2, 2, [](api::RollCall& r) { r.spec.thresholds.deadline_percent = api::Threshold{50, "short"}; });
  world.gpu = [sound = world.gpu](int node) {
    auto f = sound(node);
    f.simulated = true;
    f.init_seconds = 20;
    return f;
  };
  play(world);
  EXPECT_EQ(world.orders[0][0].deadline_ms, 60'000);  // (60 s + 3 x 20 s) / 2
  EXPECT_EQ(world.orders[0][0].large_bytes, 1 << 20);
  EXPECT_THAT(world.stage_state("JobCollective"), HasSubstr("1 MiB (simulated"));
}

TEST(Collectives, WithoutGpusNothingRuns) {
  World world(2);
  play(world);
  EXPECT_EQ(world.stage_state("NodeCollective"), "Skipped: the job asks for no GPU");
  EXPECT_EQ(world.stage_state("JobCollective"), "Skipped: the job asks for no GPU");
  EXPECT_EQ(world.stage_state("Localisation"), "Skipped: no collective failed");
  EXPECT_TRUE(world.asked);
}

TEST(Collectives, AfterAFailureTheyAreSkippedInEnforce) {
  GpuWorld world(3);
  world.edge = [](int from, int to) { return from == 1 && to == 2 ? EdgeOutcome::Dropped : EdgeOutcome::Ok; };
  play(world);
  EXPECT_EQ(world.stage_state("NodeCollective"), "Skipped: not run: a stage before failed: mesh/dropped");
  EXPECT_EQ(world.stage_state("JobCollective"), "Skipped: not run: a stage before failed: mesh/dropped");
  EXPECT_TRUE(world.orders[0].empty());
}

TEST(Collectives, InObserveTheNodesAreTriedAndTheJobIsNot) {
  GpuWorld world(3, 2, [](api::RollCall& r) { r.spec.settings.mode = api::RollCallMode::Observe; });
  world.edge = [](int from, int to) { return from == 1 && to == 2 ? EdgeOutcome::Dropped : EdgeOutcome::Ok; };
  play(world);
  EXPECT_THAT(world.stage_state("NodeCollective"), StartsWith("Passed"));
  EXPECT_EQ(world.stage_state("JobCollective"), "Skipped: not run: a stage before failed: mesh/dropped");
  EXPECT_TRUE(world.asked);
}

TEST(Collectives, APartialEnvironmentSkipsTheNetwork) {
  GpuWorld world(2, 2, [](api::RollCall& r) { r.spec.partial_environment = "the command sources /opt/profile.sh"; });
  world.fault = [](const Rank&) { return error("no plugin of that name"); };
  play(world);
  EXPECT_THAT(world.stage_state("NodeCollective"), AllOf(StartsWith("Skipped"), HasSubstr("/opt/profile.sh")));
  EXPECT_THAT(world.stage_state("JobCollective"), StartsWith("Skipped"));
  ASSERT_TRUE(world.asked) << world.status().message;
}

TEST(Collectives, AHangSaysWhoHadNotJoined) {
  GpuWorld world(3, 2);
  world.fault = [](const Rank& rank) -> std::optional<RankResult> {
    if (rank.scope == CollectiveScope::Node) return std::nullopt;
    return rank.node == 1 ? hung("cuInit", 100) : hung();
  };
  play(world);
  const auto words = world.finding("collective/hung");
  EXPECT_THAT(words, HasSubstr("in ncclCommInitRank for 41 s"));
  EXPECT_THAT(words, HasSubstr("ranks 2, 3 had not joined: gpu-2 (node rank 1) (in cuInit for 100 s)"));
  EXPECT_EQ(named(world), (std::set<int>{1}));
  EXPECT_THAT(world.stage_state("Localisation"), StartsWith("Skipped: what failed is named already"));
}

TEST(Collectives, AKnownErrorHasItsCause) {
  GpuWorld world(2, 2);
  world.fault = [](const Rank& rank) -> std::optional<RankResult> {
    if (rank.node != 1) return std::nullopt;
    return error("Error: unable to extend shared memory /dev/shm/nccl-AbCdEf");
  };
  play(world);
  const auto findings = world.status().findings;
  const auto found = std::find_if(findings.begin(), findings.end(), [](const auto& each) {
    return each.message.find("/dev/shm/nccl-AbCdEf") != std::string::npos;
  });
  ASSERT_NE(found, findings.end());
  EXPECT_THAT(found->message, HasSubstr("GPUs 0, 1 of gpu-2 (node rank 1): ncclCommInitRank failed (result 2)"));
  EXPECT_THAT(found->message, HasSubstr("It means that"));
  EXPECT_EQ(found->node_ranks, (std::vector<int>{1}));
}

TEST(Collectives, TheSameCauseOnEveryNodeIsTheJobsOwn) {
  GpuWorld world(3, 2);
  world.fault = [](const Rank&) { return error("Bootstrap : no socket interface found"); };
  play(world);
  ASSERT_TRUE(world.asked) << world.status().message;
  EXPECT_EQ(world.asked->reason, api::EndReason::JobsOwnCause);
}

TEST(Collectives, WhoWaitsForARankThatGaveUpIsNoFindingOfItsOwn) {
  GpuWorld world(3, 2);
  world.fault = [](const Rank& rank) -> std::optional<RankResult> {
    if (rank.node != 1) return std::nullopt;
    return rank.gpu == 1 ? error("internal check failed") : hung();
  };
  play(world);
  EXPECT_THAT(world.finding("nccl/init-failed"), HasSubstr("GPU 1 of gpu-2 (node rank 1)"));
  EXPECT_EQ(world.finding("collective/hung"), "no finding collective/hung");
}

TEST(Collectives, InfiniBandsErrorIsNotTakenForTheNewsOfAnother) {
  GpuWorld world(4, 2);
  world.fault = [](const Rank& rank) -> std::optional<RankResult> {
    if (rank.scope == CollectiveScope::Node) return std::nullopt;
    auto result = error(rank.node == 1 ? "NET/IB: Got completion from peer 10.0.0.3<4242> with status=12 opcode=0 len=0"
                                       : "Connection closed by remote peer 10.0.0.2<42550>");
    result.step = "ncclAllReduce small";
    result.result = 6;
    return result;
  };
  play(world);
  EXPECT_THAT(world.finding("rdma/retries-exceeded"), HasSubstr("of gpu-2 (node rank 1)"));
  EXPECT_EQ(world.finding("network/peer-died"), "no finding network/peer-died");
}

TEST(Collectives, WhoLosesARankThatDiedIsNoFindingOfItsOwn) {
  GpuWorld world(3, 2);
  world.fault = [](const Rank& rank) -> std::optional<RankResult> {
    if (rank.node != 2) return std::nullopt;
    auto result = error("Connection closed by remote peer 10.0.0.3<42550>");
    result.step = "ncclAllReduce small";
    if (rank.gpu == 1) result.outcome = RankOutcome::Died;
    return result;
  };
  play(world);
  EXPECT_THAT(world.finding("collective/child-died"), HasSubstr("of gpu-3 (node rank 2)"));
  EXPECT_EQ(world.finding("network/peer-died"), "no finding network/peer-died");
  EXPECT_EQ(named(world), (std::set<int>{2}));
}

TEST(Collectives, TheSameErrorOnEveryNodeIsASentenceOfItsOwn) {
  GpuWorld world(3, 2);
  world.fault = [](const Rank&) { return error("Cuda failure 'API call is not supported'"); };
  play(world);
  EXPECT_THAT(world.finding("nccl/init-failed"), HasSubstr("not supported'\". It is the same on every node"));
}

TEST(Collectives, AStuckDriverNamesTheNode) {
  GpuWorld world(3, 2);
  world.fault = [](const Rank& rank) -> std::optional<RankResult> {
    if (rank.node != 2) return std::nullopt;
    auto result = hung("cuCtxCreate", 70);
    result.outcome = RankOutcome::Stuck;
    return result;
  };
  play(world);
  EXPECT_THAT(world.finding("gpu/driver-stuck"), HasSubstr("GPUs 0, 1 of gpu-3 (node rank 2)"));
  EXPECT_EQ(named(world), (std::set<int>{2}));
}

TEST(Collectives, AChildThatCannotRunSkipsThem) {
  GpuWorld world(2, 2);
  world.fault = [](const Rank&) -> std::optional<RankResult> {
    RankResult result;
    result.outcome = RankOutcome::NotStarted;
    result.error = "no such file";
    return result;
  };
  play(world);
  EXPECT_THAT(world.stage_state("NodeCollective"), AllOf(StartsWith("Skipped"), HasSubstr("cannot be started")));
}

TEST(Collectives, RanksThatWaitedForTheFirstHideNothing) {
  GpuWorld world(2, 2);
  world.fault = [](const Rank& rank) -> std::optional<RankResult> {
    if (rank.node != 1) return std::nullopt;
    if (rank.gpu == 0) return hung("cuInit", 70);
    RankResult waited;
    waited.outcome = RankOutcome::NotStarted;
    waited.error = "rank 0 ended before it had made the id that the others join with";
    return waited;
  };
  play(world);
  EXPECT_THAT(world.finding("collective/hung"),
              HasSubstr("GPU 0 of gpu-2 (node rank 1): the all-reduce within the node hung in cuInit for 70 s"));
  EXPECT_EQ(named(world), (std::set<int>{1}));
}

TEST(Collectives, AProbeThatEndsShortIsNamed) {
  GpuWorld world(2, 2);
  world.on_answer = [](const Answer& answer) {
    auto& changed = const_cast<Answer&>(answer);
    if (answer.pod_uid == "uid-1" && changed.collective && changed.collective->done)
      changed.collective->ranks.resize(1);
  };
  play(world);
  EXPECT_THAT(world.finding("collective/incomplete"), HasSubstr("gpu-2 (node rank 1)"));
}

TEST(Collectives, ASlowNodeFailsOnlyWhenItIsSlowAgainAndAgain) {
  for (const bool stays : {true, false}) {
    GpuWorld world(4, 2);
    world.bandwidth = [stays](const Rank& rank) { return rank.node == 2 && (stays || rank.times == 0) ? 30.0 : 100.0; };
    play(world);
    const auto words = world.finding("collective/slow-node");
    EXPECT_THAT(words, HasSubstr("gpu-3 (node rank 2) with"));
    EXPECT_EQ(world.status().stage == "Held", stays);
    EXPECT_EQ(world.asked.has_value(), !stays);
    if (stays) {
      EXPECT_EQ(named(world), (std::set<int>{2}));
    }
  }
}

TEST(Collectives, OfTwoNodesNeitherIsSlow) {
  GpuWorld world(2, 2);
  world.bandwidth = [](const Rank& rank) { return rank.node == 1 ? 10.0 : 100.0; };
  play(world);
  EXPECT_TRUE(world.asked) << world.status().message;
}

TEST(Collectives, BelowThePolicysFloorFailsAndNamesThePolicy) {
  GpuWorld world(4, 2, [](api::RollCall& r) {
    r.spec.thresholds.min_bus_bandwidth_gigabytes = api::Threshold{80, "fast-fabric"};
  });
  world.bandwidth = [](const Rank& rank) {
    return rank.scope != CollectiveScope::Node && rank.with_node(3) ? 20.0 : 100.0;
  };
  play(world);
  EXPECT_THAT(world.finding("collective/below-floor"),
              AllOf(HasSubstr("20 GB/s"), HasSubstr("RollcallPolicy fast-fabric asks for 80")));
  EXPECT_THAT(world.finding("collective/node"),
              HasSubstr("gpu-4 (node rank 3) is slower than the policy asks for in NCCL with every node"));
  EXPECT_EQ(named(world), (std::set<int>{3}));
}

TEST(Collectives, AMuteProbeIsNamedAndEndsTheRound) {
  GpuWorld world(3, 2);
  world.see_all();
  for (int i = 0; i < 60 && world.status().stage != "JobCollective"; ++i) world.exchange();
  ASSERT_EQ(world.status().stage, "JobCollective");
  world.exchange(1);
  world.probes[1].asleep = true;
  world.fault = [](const Rank& rank) -> std::optional<RankResult> {
    return rank.scope == CollectiveScope::Job ? std::optional(hung()) : std::nullopt;
  };
  world.pass(150s);
  EXPECT_THAT(world.finding("probe/silent"), HasSubstr("gpu-2 (node rank 1"));
}

TEST(Localisation, TwoNodesCannotBeSeparated) {
  GpuWorld world(2, 2);
  world.fault = [](const Rank& rank) -> std::optional<RankResult> {
    if (rank.scope == CollectiveScope::Node || rank.env.count("NCCL_IB_DISABLE") > 0) return std::nullopt;
    return error("Got completion with error 12, opcode 0", 3, "ncclAllReduce large");
  };
  play(world);
  const auto words = world.finding("collective/pair");
  EXPECT_THAT(words, HasSubstr("NCCL fails between gpu-1 (node rank 0) and gpu-2 (node rank 1)"));
  EXPECT_THAT(words, HasSubstr("With two nodes alone it can't be told which of them"));
  EXPECT_THAT(words, HasSubstr("With NCCL_IB_DISABLE=1 the same pair works"));
  EXPECT_THAT(words, HasSubstr("does not work with NCCL_P2P_DISABLE=1 either"));
}

TEST(Localisation, ABrokenGpuIsNamed) {
  GpuWorld world(2, 8);
  world.fault = [](const Rank& rank) -> std::optional<RankResult> {
    if (rank.node != 1 || !rank.with_gpu(5)) return std::nullopt;
    RankResult result;
    result.outcome = RankOutcome::WrongValue;
    result.step = "ncclAllReduce large";
    result.error = "element 17 is 35, must be 36";
    return result;
  };
  play(world, 120);
  EXPECT_THAT(world.finding("collective/gpu"),
              AllOf(HasSubstr("GPU 5 (GPU-1-5) of gpu-2 (node rank 1) fails in NCCL with every GPU"),
                    HasSubstr("element 17 is 35, must be 36")));
  EXPECT_THAT(world.finding("collective/wrong-value"), HasSubstr("GPUs 0-7 of gpu-2 (node rank 1)"));
  EXPECT_THAT(world.stage_state("JobCollective"), StartsWith("Skipped: not run: a stage before failed"));
  EXPECT_EQ(named(world), (std::set<int>{1}));
  // Who reads one finding reads where it is.
  EXPECT_EQ(world.status().findings.front().rule, "collective/gpu");
}

TEST(Localisation, TimeoutSecondsBoundsIt) {
  GpuWorld world(4, 2, [](api::RollCall& r) { r.spec.settings.timeout_seconds = 60; });
  world.fault = [](const Rank& rank) -> std::optional<RankResult> {
    return rank.scope == CollectiveScope::Job ? std::optional(hung()) : std::nullopt;
  };
  play(world);
  EXPECT_EQ(world.stage_state("Localisation"), "Skipped: timeoutSeconds (60 s) leaves no time for pairs");
}

/// Random faults between nodes: whoever is named must be part of the fault, in every order of answers.
TEST(Localisation, NobodyInnocentIsNamed) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const int n = 2 + static_cast<int>(random() % 11);
    const int bad = static_cast<int>(random() % static_cast<unsigned>(n));
    const int other = (bad + 1) % n;
    const bool node = seed % 2 == 0;
    GpuWorld world(n, 1);
    world.fault = [&](const Rank& rank) -> std::optional<RankResult> {
      if (rank.scope == CollectiveScope::Node || !rank.with_node(bad) || (!node && !rank.with_node(other)))
        return std::nullopt;
      return hung("ncclAllReduce small", 50);
    };
    play(world, 80);
    ASSERT_EQ(world.status().stage, "Held") << world.status().message;
    const auto nodes = named(world);
    if (node && n > 2) {
      EXPECT_EQ(nodes, (std::set<int>{bad}));
    } else {
      EXPECT_EQ(nodes, (std::set<int>{bad, other}));
    }
  }
}

api::UserCheck user_check(const std::string& name, bool compare = false) {
  api::UserCheck check;
  check.name = name;
  check.command = {"/check", name};
  check.compare = compare;
  return check;
}

TEST(Checks, PassAndAreCounted) {
  GpuWorld world(3, 2, [](api::RollCall& r) { r.spec.settings.checks = {user_check("data", true)}; });
  play(world);
  EXPECT_EQ(world.stage_state("Checks"), "Passed: 1 check");
  EXPECT_TRUE(world.asked);
}

/// The probe scales the job's deadlines, and makes the environment first: the desk must not call it mute meanwhile.
TEST(Checks, ThePolicysFactorAndTheSetupAreWaitedFor) {
  GpuWorld world(3, 2, [](api::RollCall& r) {
    r.spec.settings.checks = {user_check("data")};  // 60 s
    r.spec.settings.setup = ". /opt/fabric.sh";     // at most 30 s
    r.spec.thresholds.deadline_percent = api::Threshold{300, "policy"};
  });
  std::optional<TimePoint> begun;
  world.on_order = [&, sound = world.on_order](int node, const Instruction& said, Answer& results) {
    if (said.step == Step::Checks && !begun) begun = world.now;
    if (said.step == Step::Checks && node == 1 && world.now < *begun + 265s) return;
    sound(node, said, results);
  };
  play(world);
  world.pass(270s);
  EXPECT_EQ(world.stage_state("Checks"), "Passed: 1 check");

  GpuWorld slow(2, 2, [](api::RollCall& r) {
    r.spec.settings.checks = {user_check("data")};
    r.spec.thresholds.deadline_percent = api::Threshold{300, "policy"};
  });
  slow.check = [sound = slow.check](int node, const api::UserCheck& wanted) {
    auto result = sound(node, wanted);
    result.timed_out = node == 1;
    return result;
  };
  play(slow);
  EXPECT_THAT(slow.finding("check/timed-out"), HasSubstr("did not end within 180 s"));
}

TEST(Checks, WhoFailsIsNamed) {
  GpuWorld world(3, 2, [](api::RollCall& r) {
    r.spec.settings.checks = {user_check("data"), user_check("version", true), user_check("slow"), user_check("gone")};
  });
  world.check = [sound = world.check](int node, const api::UserCheck& wanted) {
    auto result = sound(node, wanted);
    if (wanted.name == "data" && node == 1) {
      result.exit_code = 3;
      result.error = "/data is empty";
    }
    if (wanted.name == "version") result.output = node == 2 ? "2.3" : "2.4";
    if (wanted.name == "slow" && node == 0) result.timed_out = true;
    if (wanted.name == "gone") {
      result.ran = false;
      result.error = "No such file or directory";
    }
    return result;
  };
  play(world);
  EXPECT_THAT(
      world.finding("check/failed"),
      HasSubstr("the job's own check \"data\" ended with exit code 3: \"/data is empty\" on gpu-2 (node rank 1)"));
  EXPECT_THAT(world.finding("check/differs"), HasSubstr("1 of 3 nodes has \"2.3\": gpu-3; the other 2 have \"2.4\""));
  EXPECT_THAT(world.finding("check/timed-out"), HasSubstr("\"slow\" did not end within 60 s on gpu-1 (node rank 0)"));
  EXPECT_THAT(world.finding("check/not-run"), HasSubstr("It is the same on every node"));
}

TEST(Desk, AcknowledgesAFinishedMesh) {
  World world(2);
  world.see_all();
  EXPECT_FALSE(world.desk->instruction_for("uid-1", world.now)->mesh_known);
  world.round();
  const auto said = world.desk->instruction_for("uid-1", world.now);
  EXPECT_TRUE(said->mesh_known);
  EXPECT_EQ(said->desk_instance.size(), 32u);
  // A probe that leaves it out from then on takes nothing back.
  world.probes[1].results.mesh.reset();
  world.exchange(2);
  EXPECT_TRUE(world.desk->instruction_for("uid-1", world.now)->mesh_known);
}

}  // namespace
}  // namespace rollcall::roll_call::testing
