#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "roll_call/collective/conduct.h"
#include "roll_call/collective/outcome.h"
#include "roll_call/collective/sizes.h"
#include "roll_call/gpu/judge.h"
#include "roll_call/stages/stage.h"
#include "roll_call/words.h"

namespace rollcall::roll_call::stages {
namespace {

constexpr int kDecide = 0;
/// Below the policy's floor twice in a row, before it counts: what shares the network for a moment is gone by then.
constexpr int kFloorMeasurements = 2;

void order(Roll& roll, TimePoint now) {
  std::vector<int> nodes(roll.pods.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  Wanted wanted;
  wanted.scope = CollectiveScope::Job;
  wanted.teams.push_back(team_of(roll, nodes));
  wanted.large_bytes = large_bytes(roll);
  wanted.base = kJobDeadline + kJobPerRank * wanted.teams.front().nranks;
  begin_collective(roll, now, std::move(wanted));
}

Progress decide(Roll& roll, TimePoint now) {
  roll.memory.measured = 0;
  if (const auto why = collectives_skipped(roll)) return {Outcome::Skipped, *why};
  if (roll.nnodes() == 1) return {Outcome::Skipped, "the job has one node: the collective within it is the whole"};
  // In Observe as well: with a broken mesh, node or library NCCL would hang until its deadline and say nothing new.
  if (const auto* before = failure_before(roll, Stage::JobCollective))
    return {Outcome::Skipped, "not run: a stage before failed: " + before->finding.rule};
  if (const auto why = cross_node_skipped(roll)) return {Outcome::Skipped, *why};
  for (const Pod& pod : roll.pods) {
    if (pod.silent || usable_gpus(roll, pod).empty())
      return {Outcome::Skipped, fmt::format("{} cannot take part", who_briefly(pod))};
  }
  order(roll, now);
  return {};
}

void keep_ranks(Roll& roll) {
  for (Pod& pod : roll.pods) {
    if (!pod.collective) continue;
    pod.job_ranks = kept(std::move(pod.collective->ranks));
    pod.collective->ranks.clear();
  }
}

/// Of the measurement that was last: the slowest rank's, since a ring is as fast as its slowest link.
double lowest(const std::vector<Ran>& ran) {
  double result = 0;
  for (const Ran& each : ran) {
    const double gbytes = bus_gbytes(*each.ranks);
    if (gbytes > 0) result = result > 0 ? std::min(result, gbytes) : gbytes;
  }
  return result;
}

void add_below_floor(Roll& roll, double gbytes, const api::Threshold& floor) {
  add(roll, Stage::JobCollective,
      {"collective/below-floor",
       "fail",
       fmt::format("the all-reduce over all nodes reached {:.3g} GB/s bus bandwidth, {} times in a row; RollcallPolicy "
                   "{} asks for {}. Look at the transport that NCCL chose, and at what else uses the network",
                   gbytes, kFloorMeasurements, floor.policy, floor.value),
       {},
       "network"});
  roll.memory.by_floor = roll.memory.localise_job = true;
}

std::string remark(const Roll& roll, const std::vector<Ran>& ran, double gbytes) {
  double init_ms = 0;
  double small_us = 0;
  for (const Ran& each : ran) {
    for (const RankResult& rank : *each.ranks) {
      init_ms = std::max(init_ms, rank.init_ms);
      small_us = std::max(small_us, rank.small_us);
    }
  }
  return fmt::format("{} ranks, {}: {:.3g} GB/s bus bandwidth, small message {:.0f} us, init {:.1f} s",
                     roll.plan.teams.front().nranks, size_words(roll, roll.plan.large_bytes), gbytes, small_us,
                     init_ms / 1000);
}

}  // namespace

Progress job_collective(Roll& roll, TimePoint now) {
  if (roll.step == kDecide) return decide(roll, now);
  if (!collective_over(roll, Stage::JobCollective, now, "ended the all-reduce over all nodes")) return {};
  end_collective(roll);
  ++roll.memory.measured;
  const auto ran = brought(roll);
  Judgement judgement = judge_job(roll, ran);
  const double gbytes = lowest(ran);
  std::string words = remark(roll, ran, gbytes);
  const bool failed = any_failing(judgement.findings);
  roll.memory.localise_job = failed && !judgement.explained;
  add_findings(roll, Stage::JobCollective, std::move(judgement.findings), judgement.jobs_own, "");
  const bool first = roll.memory.measured == 1;
  if (first || failed) keep_ranks(roll);
  if (!failed && !judgement.not_started.empty()) return {Outcome::Skipped, judgement.not_started};
  const auto& floor = roll.spec.thresholds.min_bus_bandwidth_gigabytes;
  if (!failed && floor && gbytes > 0 && gbytes < static_cast<double>(floor->value)) {
    if (roll.memory.measured < kFloorMeasurements) {
      order(roll, now);
      return {};
    }
    add_below_floor(roll, gbytes, *floor);
  }
  return by_findings(roll, Stage::JobCollective, std::move(words));
}

}  // namespace rollcall::roll_call::stages
