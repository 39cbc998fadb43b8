#include "roll_call/node_stages.h"

namespace rollcall::roll_call {
namespace {

static_assert(kStages <= 32, "a bit a stage");

/// The node did its part, as far as that can be seen of one node.
bool finished(const Roll& roll, const Pod& pod, Stage stage) {
  switch (stage) {
    case Stage::Gathering:
      return pod.heard() && !pod.gone();
    case Stage::LocalFacts:
      return pod.facts.has_value();
    case Stage::Gpu:
      return pod.gpu.has_value();
    case Stage::Nccl:
      return pod.nccl.has_value();
    case Stage::MasterPort:
      return pod.node_rank == 0 ? pod.master_port.has_value() : pod.reached.has_value();
    case Stage::Mesh:
      return pod.mesh && pod.mesh->done;
    case Stage::NodeCollective:
      return !pod.node_ranks.empty();
    case Stage::JobCollective:
      return !pod.job_ranks.empty();
    case Stage::Checks:
      return pod.checks && pod.checks->done;
    case Stage::AddressSeen:
      return pod.seen;
    default:
      return roll.run_of(stage).state != StageState::Waiting;
  }
}

}  // namespace

NodeStages::NodeStages(const Roll& roll)
    : roll_(roll), failed_(roll.pods.size(), 0), first_(roll.pods.size(), nullptr) {
  for (const StageFinding& each : roll.findings) {
    if (each.finding.severity != "fail") continue;
    for (const int rank : each.finding.node_ranks) {
      if (rank < 0 || rank >= roll.nnodes()) continue;
      const auto index = static_cast<std::size_t>(rank);
      failed_[index] |= 1u << static_cast<unsigned>(each.stage);
      if (first_[index] == nullptr) first_[index] = &each;
    }
  }
}

StageState NodeStages::of(const Pod& pod, Stage stage) const {
  const StageRun& run = roll_.run_of(stage);
  if (run.state == StageState::Skipped || run.state == StageState::Waiting) return run.state;
  if ((failed_[static_cast<std::size_t>(pod.node_rank)] >> static_cast<unsigned>(stage) & 1u) != 0)
    return StageState::Failed;
  if (finished(roll_, pod, stage)) return StageState::Passed;
  return run.state == StageState::Running ? StageState::Running : StageState::Skipped;
}

const StageFinding* NodeStages::failure_of(const Pod& pod) const {
  return first_[static_cast<std::size_t>(pod.node_rank)];
}

}  // namespace rollcall::roll_call
