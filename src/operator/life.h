#pragma once

#include <optional>

#include "api/training_job.h"
#include "base/time_text.h"

/// The clocks of a job's life: how long it may train, how long it stays after its end. Pure.
namespace rollcall::operator_ {

/// Closes or opens the suspension in the status. What was suspended after the first release does not count for the
/// deadline. To be called before the condition Suspended is set.
void count_suspension(bool suspended, WallTime now, api::TrainingJobStatus& status);

/// When spec.activeDeadlineSeconds is over; nullopt without one, before the first release, and while suspended.
std::optional<WallTime> deadline_of(const api::TrainingJobSpec& spec, const api::TrainingJobStatus& status);
/// The sentence that says so.
std::string deadline_words(const api::TrainingJobSpec& spec, const api::TrainingJobStatus& status);

/// When a finished job is to be deleted; nullopt when it stays. A changed ttl counts from the same end.
std::optional<WallTime> expiry_of(const api::TrainingJobSpec& spec, const api::TrainingJobStatus& status);

}  // namespace rollcall::operator_
