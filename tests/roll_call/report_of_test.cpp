#include "roll_call/report/report_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "roll_call/status.h"
#include "roll_call/world.h"

namespace rollcall::roll_call {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::World;

/// A roll of `n` nodes that have answered, as its desk would keep it; a test fills in what it is about.
Roll roll_of(int n) {
  Roll roll;
  roll.spec.nproc_per_node = 8;
  roll.spec.gpus_per_pod = 8;
  roll.stages.assign(kStages, StageRun{});
  for (int i = 0; i < n; ++i) {
    Pod pod;
    pod.node_rank = i;
    pod.uid = "uid-" + std::to_string(i);
    pod.name = "llama-" + std::to_string(i) + "-1";
    pod.ranks = api::ranks_of(i, 8);
    pod.nonce = "n";
    PodView view;
    view.node = "gpu-" + std::to_string(i + 1);
    view.address = "10.0.0." + std::to_string(i + 1);
    pod.view = view;
    roll.pods.push_back(std::move(pod));
  }
  return roll;
}

api::Report report(const Roll& roll) { return report_of(roll, NodeStages(roll)); }

std::vector<api::ReportGroup> groups_of(const api::Report& report, const std::string& what) {
  std::vector<api::ReportGroup> out;
  for (const auto& group : report.groups) {
    if (group.what == what) out.push_back(group);
  }
  return out;
}

TEST(ReportOf, ANodeNamedInAFailureFailedThatStageAndNoOther) {
  Roll roll = roll_of(3);
  for (int i = 0; i < 3; ++i) roll.run_of(static_cast<Stage>(i)).state = StageState::Passed;
  for (Pod& pod : roll.pods) pod.facts = LocalFacts{};
  roll.run_of(Stage::Comparison).state = StageState::Failed;
  roll.run_of(Stage::Gpu).state = StageState::Skipped;
  roll.findings = {{Stage::Comparison, {"nccl/version", "fail", "…", {1}, "job"}},
                   {Stage::LocalFacts, {"node/kernel", "warn", "…", {2}, "cluster"}}};
  EXPECT_THAT(report(roll).states, ElementsAre("PPPSWWWWWWWWW", "PPFSWWWWWWWWW", "PPPSWWWWWWWWW"));
}

TEST(ReportOf, TheMinorityIsMarkedAndNamed) {
  Roll roll = roll_of(4);
  for (Pod& pod : roll.pods) {
    pod.nccl = NcclFacts{};
    pod.nccl->version = pod.node_rank == 2 ? "2.21.5" : "2.27.5";
    pod.nccl->interface_name = "eth0";
  }
  const auto nccl = groups_of(report(roll), "NCCL");
  ASSERT_THAT(nccl, SizeIs(2));
  EXPECT_EQ(nccl[0].value, "2.27.5");
  EXPECT_EQ(nccl[0].count, 3);
  EXPECT_FALSE(nccl[0].minority);
  EXPECT_THAT(nccl[0].node_ranks, IsEmpty());
  EXPECT_EQ(nccl[1].value, "2.21.5");
  EXPECT_TRUE(nccl[1].minority);
  EXPECT_THAT(nccl[1].node_ranks, ElementsAre(2));
  EXPECT_THAT(groups_of(report(roll), "Interface NCCL takes"), SizeIs(1));
}

TEST(ReportOf, AnUnknownValueIsNoMinority) {
  Roll roll = roll_of(3);
  roll.pods[0].gpu = GpuFacts{};
  roll.pods[0].gpu->driver = "550.54.15";
  roll.pods[1].gpu = GpuFacts{};
  EXPECT_THAT(groups_of(report(roll), "Driver"), SizeIs(1));
}

TEST(ReportOf, RareValuesAreCountedTogether) {
  Roll roll = roll_of(20);
  for (Pod& pod : roll.pods) {
    pod.facts = LocalFacts{};
    pod.facts->kernel = "6.1." + std::to_string(pod.node_rank);
  }
  const auto kernels = groups_of(report(roll), "Kernel");
  ASSERT_THAT(kernels, SizeIs(8));
  EXPECT_EQ(kernels.back().value, "13 other values");
  EXPECT_EQ(kernels.back().count, 13);
}

TEST(ReportOf, TheMatrixHasAnEntryAPeerAndFailuresAreListed) {
  Roll roll = roll_of(3);
  for (Pod& pod : roll.pods) {
    pod.mesh = MeshState{};
    for (int to = 0; to < 3; ++to) {
      if (to != pod.node_rank && !(pod.node_rank == 0 && to == 2)) pod.mesh->times.push_back({to, 0.44, 65536, 0});
    }
  }
  roll.pods[0].mesh->failed = {{2, EdgeOutcome::Dropped, 40000, 4, 4, 3000, "timed out"}};
  const auto made = report(roll);
  EXPECT_THAT(made.matrix, ElementsAre(",0.4,x", "0.4,,0.4", "0.4,0.4,"));
  ASSERT_THAT(made.pairs, SizeIs(1));
  EXPECT_EQ(made.pairs[0].state, "Dropped");
  EXPECT_EQ(made.pairs[0].to, 2);
  EXPECT_EQ(made.pairs[0].text, "all 4 ports tried: timed out");
}

TEST(ReportOf, SlowAndLossyPairsAreShownAndLostPacketsOfAFewSegmentsAreNot) {
  Roll roll = roll_of(4);
  for (Pod& pod : roll.pods) {
    pod.mesh = MeshState{};
    for (int to = 0; to < 4; ++to) {
      if (to != pod.node_rank) pod.mesh->times.push_back({to, 1.0, 65536, 9});
    }
  }
  roll.pods[0].mesh->times[0] = {1, 40.0, 4'000'000, 0};
  roll.pods[1].mesh->times[0] = {0, 1.0, 4'000'000, 60};
  const auto made = report(roll);
  ASSERT_THAT(made.pairs, SizeIs(2));
  EXPECT_EQ(made.pairs[0].state, "Slow");
  EXPECT_EQ(made.pairs[0].text, "the median is 1.0 ms");
  EXPECT_EQ(made.pairs[1].state, "Lossy");
  EXPECT_THAT(made.pairs[1].text, HasSubstr("2.2 % of segments sent again"));
}

TEST(ReportOf, PairCollectivesStandAmongThePairs) {
  Roll roll = roll_of(4);
  roll.pairs = {{0, 1, "CollectiveFailed", 0, 0, "in ncclCommInitRank for 41 s"}};
  EXPECT_THAT(report(roll).pairs, Contains(Field(&api::ReportPair::state, "CollectiveFailed")));
}

TEST(ReportOf, ANodeIsAsFastAsItsSlowestRank) {
  Roll roll = roll_of(2);
  RankResult rank;
  rank.bus_gbytes = 412.34;
  rank.transport = "rdma";
  rank.network = "IB";
  rank.devices = {"mlx5_0:1", "mlx5_7:1"};
  RankResult slower = rank;
  slower.bus_gbytes = 300.06;
  roll.pods[0].job_ranks = {rank, slower};
  const auto made = report(roll);
  EXPECT_THAT(made.job_bus_gbytes, ElementsAre(300.1, 0));
  EXPECT_THAT(made.node_bus_gbytes, IsEmpty());
  EXPECT_EQ(made.transport, "rdma by IB, mlx5_0:1 … mlx5_7:1 (2)");
}

TEST(ReportOf, ADoubleAnywhereMakesItSimulatedForGood) {
  World world(2);
  world.see_all();
  world.exchange(2);
  EXPECT_FALSE(world.status().report->simulated);
  EXPECT_THAT(world.status().message, ::testing::Not(HasSubstr("SIMULATED")));
  world.probes[1].results.nccl = NcclFacts{};
  world.probes[1].results.nccl->simulated = true;
  world.exchange();
  EXPECT_TRUE(world.status().report->simulated);
  EXPECT_THAT(world.status().message, ::testing::StartsWith("SIMULATED (doubles, no GPUs): "));
  world.probes[1].results = {};
  world.probes[0].nonce = "another process";  // the round begins anew, its results are void
  world.exchange(3);
  EXPECT_TRUE(world.status().report->simulated);
  world.roll_call.status = world.status();
  world.new_desk(2);
  EXPECT_TRUE(world.status().report->simulated);
}

TEST(ReportOf, TheTimelineTellsSchedulingPullAndStagesApart) {
  Roll roll = roll_of(2);
  const TimePoint start = *rfc3339_from("2026-11-30T12:00:00Z");
  for (Pod& pod : roll.pods) {
    const auto later = pod.node_rank * 5s;
    pod.view->created_at = start;
    pod.view->scheduled_at = start + 2s + later;
    pod.view->install_started_at = start + 4s + later;
    pod.view->pull_from = start + 5s + later;
    pod.view->probe_started_at = start + 35s + later;
  }
  roll.run_of(Stage::Gathering) = {StageState::Passed, "", start + 35s, start + 40s};
  roll.past = {{"Held", "", "2026-11-30T12:01:00Z", 15, -1}};
  std::vector<std::string> job;
  for (const auto& each : report(roll).timeline) {
    if (each.node_rank == -1) job.push_back(each.kind + " " + each.what + " " + std::to_string(int(each.seconds)));
  }
  EXPECT_THAT(job,
              ElementsAre("Scheduling a place for the pod 7", "Starting sandbox, volumes, image of the installer 7",
                          "Pulling the job's image 35", "Held  15", "Stage Gathering 5"));
}

TEST(ReportOf, HoldsStayKnownAcrossRoundsAndDesks) {
  World world(2);
  bool broken = true;
  world.edge = [&](int, int) { return broken ? EdgeOutcome::Dropped : EdgeOutcome::Ok; };
  world.see_all();
  world.round();
  ASSERT_EQ(world.status().stage, "Held");
  world.pass(40s);
  const auto held = [](const api::RollCallStatus& status) {
    int count = 0;
    for (const auto& each : status.report->timeline) count += each.kind == "Held" ? 1 : 0;
    return count;
  };
  const auto before = world.status();
  ASSERT_GE(held(before), 2);
  world.roll_call.status = before;
  world.now += 5s;
  world.new_desk(2);
  EXPECT_EQ(held(world.status()), held(before));
}

/// Everything at its longest: what the API server is asked to store must fit whatever pods say.
Roll worst(int n) {
  Roll roll = roll_of(n);
  const std::string wide(253, 'x');
  const std::string name(150, 'n');  // the longest that 1,000 may have and still be listed
  for (Pod& pod : roll.pods) {
    const std::string own = std::to_string(pod.node_rank);
    pod.view->node = name.substr(own.size()) + own;
    pod.view->created_at = pod.view->scheduled_at = TimePoint{} + 1s;
    pod.view->install_started_at = pod.view->pull_from = pod.view->probe_started_at = TimePoint{} + 2s;
    LocalFacts facts;
    facts.kernel = wide + own;
    facts.architecture = std::string(128, '"') + own;
    facts.libraries = {{"torch", "", std::string(128, '"'), ""}};
    pod.facts = facts;
    pod.gpu = GpuFacts{};
    pod.gpu->driver = own + std::string(128, '\\');
    pod.gpu->gpus.resize(8);
    pod.nccl = NcclFacts{};
    pod.nccl->version = own + std::string(120, '"');
    pod.nccl->plugins.assign(16, own + wide);
    pod.mesh = MeshState{};
    for (int to = 0; to < 200; ++to)
      pod.mesh->failed.push_back({to, EdgeOutcome::Dropped, 1, 4, 4, 3000.123, std::string(96, '"')});
    for (int to = 0; to < 64; ++to) pod.mesh->times.push_back({to, 1.234, 4'000'000, 100});
    RankResult rank;
    rank.bus_gbytes = 123.456;
    rank.transport = "rdma";
    rank.network = own;
    pod.job_ranks.assign(8, rank);
    pod.node_ranks.assign(8, rank);
  }
  std::vector<int> all(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
  roll.run_of(Stage::Mesh).state = StageState::Failed;
  for (int i = 0; i < 50; ++i)
    roll.findings.push_back({Stage::Mesh, {"mesh/dropped", "fail", std::string(2000, 'm'), all, "network"}});
  return roll;
}

TEST(ReportOf, TheStatusStaysUnder512KiBWith1000NodesWhateverTheySay) {
  const Roll roll = worst(1000);
  const std::clock_t begin = std::clock();
  const auto status = status_of(roll, TimePoint{} + 100s);
  const double ms = 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const std::size_t bytes = to_json(status).dump().size();
  std::printf("1,000 nodes at their longest: a status of %zu KiB, made in %.1f ms of CPU\n", bytes / 1024, ms);
  EXPECT_LT(bytes, 512u * 1024);
  EXPECT_THAT(status.report->nodes, SizeIs(1000));
  EXPECT_THAT(status.report->pairs, SizeIs(500));
  EXPECT_THAT(status.report->matrix, IsEmpty());
  // Ten times what it takes on a quiet core.
  EXPECT_LT(ms, 500);
}

TEST(ReportOf, NamesThatWouldNotFitAreLeftOutAndNothingElseIs) {
  const auto made = report(worst(4096));
  EXPECT_THAT(made.nodes, IsEmpty());
  EXPECT_THAT(made.states, SizeIs(4096));
  api::RollCallStatus status;
  status.report = made;
  EXPECT_LT(to_json(status).dump().size(), 1024u * 1024);
}

}  // namespace
}  // namespace rollcall::roll_call
