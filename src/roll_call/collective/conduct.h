#pragma once

#include <string>

#include "roll_call/collective/plan.h"
#include "roll_call/roll.h"
#include "roll_call/stages/stage.h"

/// Leads one collective from the order to the last result: unique ids go from each team's first node to its others,
/// deadlines run. Used by the stages that order collectives; they judge what came of it.
namespace rollcall::roll_call {

/// What a collective is ordered with.
struct Wanted {
  CollectiveScope scope = CollectiveScope::Node;
  std::vector<Team> teams;  ///< no node in two of them
  std::int64_t large_bytes = 0;
  std::chrono::milliseconds base{0};  ///< deadline before the policy's factor and cuInit
  std::map<std::string, std::string> env;
};

/// Sends a new order to every node of `teams`; what a former one brought is void. Moves to the stage's next step.
void begin_collective(Roll& roll, TimePoint now, Wanted wanted);

/// True when nobody is waited for any more. Who did not answer in time is marked silent and named in a finding of
/// `stage`, as everywhere. Call it at every event while the collective runs.
bool collective_over(Roll& roll, Stage stage, TimePoint now, const std::string& doing);

/// No state of it is taken any more. `pod.collective` stays as it is.
void end_collective(Roll& roll);

/// What the pod is to do: its part of what is out, or to wait.
stages::Order collective_order(const Roll& roll, const Pod& pod);
/// When collective_over() has something to say without an event.
std::optional<TimePoint> collective_due(const Roll& roll);

/// A team of `nodes` with all their usable GPUs, in this order.
Team team_of(const Roll& roll, const std::vector<int>& nodes);
/// CUDA indices of the pod's GPUs that take part: those CUDA shows, as many as the trainer asks for.
std::vector<int> usable_gpus(const Roll& roll, const Pod& pod);

}  // namespace rollcall::roll_call
