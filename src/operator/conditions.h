#pragma once

#include <string>
#include <string_view>

#include "api/training_job.h"
#include "base/time_text.h"

namespace rollcall::operator_ {

// The closed list of reasons. RollCallPassed:
namespace reason {
inline constexpr auto kWaitingForPods = "WaitingForPods";  ///< False: pods are made, scheduled, started
inline constexpr auto kPodsRefused = "PodsRefused";        ///< False: quota, admission; asked again
inline constexpr auto kPodNameTaken = "PodNameTaken";      ///< False: another's pod stands under a name of ours
inline constexpr auto kDeskMissing = "DeskMissing";        ///< False: no Service or certificate of the desk
inline constexpr auto kCalling = "Calling";                ///< False: the stages run
inline constexpr auto kHeld = "Held";                      ///< False
inline constexpr auto kAttemptEnded = "AttemptEnded";      ///< False, also of Released: the next attempt waits
inline constexpr auto kPassed = "Passed";                  ///< True, also of Released
inline constexpr auto kOverridden = "Overridden";          ///< False; Released: True
inline constexpr auto kObserved = "Observed";              ///< False: findings, released all the same; Released: True
inline constexpr auto kModeOff = "ModeOff";                ///< False: no stage was run; Released: True
// Suspended:
inline constexpr auto kSuspended = "SuspendedBySpec";
inline constexpr auto kResumed = "Resumed";
// Complete, Failed:
inline constexpr auto kTrainersSucceeded = "TrainersSucceeded";
inline constexpr auto kRefusedByRules = "RefusedByRules";
inline constexpr auto kInvalidPod = "InvalidPod";
inline constexpr auto kRollCallFailed = "RollCallFailed";  ///< retries used up
inline constexpr auto kJobsOwnCause = "JobsOwnCause";      ///< the same on every node
inline constexpr auto kTrainerFailed = "TrainerFailed";
inline constexpr auto kDeadlineExceeded = "DeadlineExceeded";  ///< spec.activeDeadlineSeconds is over
}  // namespace reason

/// Null when the status has no condition of that type.
const api::Condition* condition(const api::TrainingJobStatus& status, std::string_view type);
bool is_true(const api::TrainingJobStatus& status, std::string_view type);

/// Sets one condition; its time moves only when its status does.
void set_condition(api::TrainingJobStatus& status, const std::string& type, bool value, const std::string& reason,
                   const std::string& message, WallTime now);

/// Complete or Failed: nothing is started any more.
bool finished(const api::TrainingJobStatus& status);

}  // namespace rollcall::operator_
