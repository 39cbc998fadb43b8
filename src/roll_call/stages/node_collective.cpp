#include <fmt/format.h>

#include <algorithm>

#include "roll_call/collective/bandwidth.h"
#include "roll_call/collective/conduct.h"
#include "roll_call/collective/outcome.h"
#include "roll_call/collective/sizes.h"
#include "roll_call/gpu/judge.h"
#include "roll_call/stages/stage.h"
#include "roll_call/words.h"

namespace rollcall::roll_call::stages {
namespace {

/// Steps: 0 decides, every further one is a collective that is out.
constexpr int kDecide = 0;

/// Every node of `nodes` by itself. One GPU has nobody to share a sum with: its small message still shows that NCCL
/// starts on it.
void order(Roll& roll, TimePoint now, const std::vector<int>& nodes) {
  Wanted wanted;
  wanted.scope = CollectiveScope::Node;
  bool several = false;
  for (const int node : nodes) {
    Team team = team_of(roll, {node});
    several = several || team.nranks > 1;
    if (team.nranks > 0) wanted.teams.push_back(std::move(team));
  }
  wanted.large_bytes = several ? large_bytes(roll) : 0;
  wanted.base = kNodeDeadline;
  begin_collective(roll, now, std::move(wanted));
}

/// In Observe a node whose GPUs or libraries were found broken has nothing to try.
std::vector<int> nodes_to_try(const Roll& roll) {
  std::vector<bool> broken(roll.pods.size(), false);
  for (const StageFinding& each : roll.findings) {
    if (each.finding.severity != "fail" || (each.stage != Stage::Gpu && each.stage != Stage::Nccl)) continue;
    for (const int rank : each.finding.node_ranks) broken[static_cast<std::size_t>(rank)] = true;
  }
  std::vector<int> nodes;
  for (const Pod& pod : roll.pods) {
    if (!pod.silent && !broken[static_cast<std::size_t>(pod.node_rank)] && !usable_gpus(roll, pod).empty())
      nodes.push_back(pod.node_rank);
  }
  return nodes;
}

Progress decide(Roll& roll, TimePoint now) {
  if (const auto why = collectives_skipped(roll)) return {Outcome::Skipped, *why};
  if (const auto* before = failure_before(roll, Stage::NodeCollective); before != nullptr && !roll.releases_whatever())
    return {Outcome::Skipped, "not run: a stage before failed: " + before->finding.rule};
  const auto nodes = nodes_to_try(roll);
  if (nodes.empty()) return {Outcome::Skipped, "no node has a GPU that could take part"};
  order(roll, now, nodes);
  return {};
}

/// Keeps what the first measurement brought, which is what the report shows.
void keep_ranks(Roll& roll) {
  for (const Ran& each : brought(roll)) {
    Pod& pod = roll.pods[static_cast<std::size_t>(each.pod->node_rank)];
    pod.node_ranks = kept(std::move(pod.collective->ranks));
    pod.collective->ranks.clear();
  }
}

std::string remark(const Roll& roll) {
  const auto measured = node_bandwidths(roll);
  if (measured.empty()) return fmt::format("{} alone", size_words(roll, roll.plan.large_bytes));
  const auto lowest = std::min_element(measured.begin(), measured.end(),
                                       [](const auto& a, const auto& b) { return a.gbytes < b.gbytes; });
  return fmt::format("{}: lowest {:.3g} GB/s bus bandwidth, on {}", size_words(roll, roll.plan.large_bytes),
                     lowest->gbytes, who_briefly(*lowest->pod));
}

}  // namespace

Progress node_collective(Roll& roll, TimePoint now) {
  if (roll.step == kDecide) return decide(roll, now);
  if (!collective_over(roll, Stage::NodeCollective, now, "ended the all-reduce within the node")) return {};
  end_collective(roll);
  const std::string partial = partial_environment(roll);
  Judgement judgement = judge_nodes(roll, brought(roll));
  const bool failed = any_failing(judgement.findings);
  if (!judgement.explained) roll.memory.failed_nodes = judgement.failed;
  add_findings(roll, Stage::NodeCollective, std::move(judgement.findings), judgement.jobs_own, partial);
  ++roll.memory.measured;
  if (roll.memory.measured == 1) {
    if (!judgement.not_started.empty() && !failed) return {Outcome::Skipped, judgement.not_started};
    keep_ranks(roll);
  }
  // Slowness is asked for again until it is sure or gone; a failure says enough.
  const auto again = slow_nodes(roll, partial);
  if (!again.empty() && !failed) {
    order(roll, now, again);
    return {};
  }
  auto result = by_findings(roll, Stage::NodeCollective, remark(roll));
  if (result.outcome == Outcome::Passed && failed && !partial.empty())
    return {Outcome::Skipped, fmt::format("failed, but the probe may not have the trainer's environment: {}", partial)};
  return result;
}

Order collective_stage_order(const Roll& roll, const Pod& pod) { return collective_order(roll, pod); }

std::optional<TimePoint> collective_stage_due(const Roll& roll) { return collective_due(roll); }

}  // namespace rollcall::roll_call::stages
