#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "roll_call/fabrics/fabric.h"

namespace rollcall::roll_call::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Orders and timings each fabric is played in.
constexpr unsigned kTimings = 20;

/// The children of one node at one order: all well, over what the fabric uses.
void run_collective(const Fabric& fabric, int node, const Instruction& order, Answer& answer) {
  if (order.step != Step::Collective || !order.collective || order.collective->gpus.empty()) return;
  const CollectiveOrder& wanted = *order.collective;
  CollectiveState state;
  state.id = wanted.id;
  if (wanted.scope != CollectiveScope::Node && wanted.unique_id.empty()) {
    if (wanted.first_rank == 0) state.unique_id = "0a0b0c";
    answer.collective = state;
    return;
  }
  state.done = true;
  for (std::size_t i = 0; i < wanted.gpus.size(); ++i) {
    RankResult rank;
    rank.rank = wanted.first_rank + static_cast<int>(i);
    rank.gpu = wanted.gpus[i];
    rank.step = "ncclCommDestroy";
    rank.init_ms = 900;
    rank.small_us = 30;
    rank.bus_gbytes = wanted.scope == CollectiveScope::Node ? 400 : 180;
    if (wanted.scope == CollectiveScope::Node) {
      rank.transport = fabric.in_node;
    } else {
      fabric.rank(node, rank);
    }
    state.ranks.push_back(rank);
  }
  answer.collective = state;
}

class Play {
 public:
  Play(const Fabric& fabric, unsigned seed)
      : world(fabric.nnodes,
              [&](api::RollCall& r) {
                r.spec.gpus_per_pod = fabric.gpus;
                r.spec.gpu_resource = fabric.resource;
                fabric.spec(r);
              }),
        random_(seed) {
    world.facts = [&fabric, facts = world.facts](int node) {
      LocalFacts f = facts(node);
      f.boot_id = "boot-" + std::to_string(node);
      f.gpus_visible = fabric.gpus;
      fabric.facts(node, f);
      return f;
    };
    world.gpu = [&fabric](int node) {
      GpuFacts f = sound_gpus(node, fabric.gpus);
      fabric.gpu(node, f);
      return f;
    };
    world.nccl = [&fabric](int node) {
      NcclFacts f = sound_nccl(node);
      fabric.nccl(node, f);
      return f;
    };
    world.on_order = [&fabric](int node, const Instruction& order, Answer& answer) {
      run_collective(fabric, node, order, answer);
    };
    for (const int node : fabric.mute) world.probes[static_cast<std::size_t>(node)].asleep = true;
    world.see_all();
    // A minute of a job that is released takes some seconds here; a mute probe is named after 60 s.
    for (int i = 0; i < 600 && !world.asked && world.status().stage != "Held"; ++i) exchange();
  }

  World world;

 private:
  /// Each probe has its turn in an order of chance, or misses it; time passes between.
  void exchange() {
    std::vector<int> order(static_cast<std::size_t>(world.nnodes()));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    for (const int node : order) {
      if (world.probes[static_cast<std::size_t>(node)].asleep || random_() % 4 == 0) continue;
      world.post(node);
      world.now += std::chrono::milliseconds(random_() % 100);
      if (world.wake_at && *world.wake_at <= world.now) world.hear(Tick{});
      if (random_() % 8 != 0) world.obey(node);  // else the reply was lost
    }
    world.now += std::chrono::milliseconds(random_() % 400);
    if (world.wake_at && *world.wake_at <= world.now) world.hear(Tick{});
  }

  std::mt19937 random_;
};

class EachFabric : public ::testing::TestWithParam<Fabric> {};

TEST_P(EachFabric, SaysWhatItMustInAnyOrder) {
  const Fabric& fabric = GetParam();
  for (unsigned seed = 0; seed < kTimings; ++seed) {
    SCOPED_TRACE("timing " + std::to_string(seed));
    Play play(fabric, seed);
    const auto status = play.world.status();
    if (fabric.released) {
      ASSERT_TRUE(play.world.asked.has_value()) << status.stage << ": " << status.message;
      ASSERT_EQ(play.world.asked->kind, api::VerdictKind::Released);
      for (const auto& finding : status.findings) ASSERT_NE(finding.severity, "fail") << finding.message;
      for (const auto& stage : status.stages) ASSERT_NE(stage.state, "Failed") << stage.name << ": " << stage.reason;
    } else {
      ASSERT_FALSE(play.world.asked.has_value());
    }
    for (const auto& [stage, words] : fabric.says)
      ASSERT_THAT(play.world.stage_state(stage), StartsWith(words)) << stage;
    for (const auto& [rule, words] : fabric.findings) ASSERT_THAT(play.world.finding(rule), HasSubstr(words));
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, EachFabric, ::testing::ValuesIn(fabrics()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace rollcall::roll_call::testing
