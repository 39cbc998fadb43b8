#include <algorithm>

#include "roll_call/stages/stage.h"

namespace rollcall::roll_call::stages {

// Waits for all of the roster, however long: waitForPodsSeconds and timeoutSeconds stand above the stages (rounds.cpp),
// so no round fails here before the last probe has started.
Progress gathering(Roll& roll, TimePoint now) {
  const bool all = std::all_of(roll.pods.rbegin(), roll.pods.rend(),
                               [](const Pod& pod) { return pod.heard() && !pod.gone() && !pod.address().empty(); });
  if (!all || roll.master_addr.empty()) return {};
  if (!roll.called_at) roll.called_at = now;
  return {Outcome::Passed, ""};
}

}  // namespace rollcall::roll_call::stages
