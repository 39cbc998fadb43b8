#pragma once

#include <functional>

#include "probe/steps/job_image.h"
#include "roll_call/collective.h"

namespace rollcall::probe {

/// Runs the user's own checks one after the other, in the job's environment, each in a process group of its own that
/// ends with it, within its deadline. `keep` gets the state after each, and the last with `done`. Ends early, and
/// without `done`, when cancelled.
void run_checks(const Settings& settings, JobImage& image, const Wake& cancel, Log& log,
                const std::function<void(const roll_call::ChecksState&)>& keep);

}  // namespace rollcall::probe
