#include "roll_call/transport/transport.h"

#include <algorithm>

#include "roll_call/gpu/judge.h"
#include "roll_call/stages/stage.h"

namespace rollcall::roll_call::stages {

Progress transport(Roll& roll, TimePoint) {
  if (const auto why = collectives_skipped(roll)) return {Outcome::Skipped, *why};
  const auto nodes = transports(roll);
  const bool observed = std::any_of(nodes.begin(), nodes.end(),
                                    [](const NodeTransport& each) { return each.carrier != Carrier::Unknown; });
  if (!observed) {
    const auto& run = roll.run_of(Stage::JobCollective);
    if (run.state == StageState::Skipped && !run.reason.empty()) return {Outcome::Skipped, run.reason};
    return {Outcome::Skipped, "nothing was seen to cross the network: no collective of the job says what carried it"};
  }
  for (auto& finding : judge_transport(roll)) add(roll, Stage::Transport, std::move(finding));
  return by_findings(roll, Stage::Transport, transport_remark(roll));
}

}  // namespace rollcall::roll_call::stages
