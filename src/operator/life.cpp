#include "operator/life.h"

#include <algorithm>

#include "operator/conditions.h"

namespace rollcall::operator_ {

using std::chrono::seconds;

void count_suspension(bool suspended, WallTime now, api::TrainingJobStatus& status) {
  const auto* before = condition(status, "Suspended");
  const auto released = rfc3339_from(status.first_released_at);
  if (suspended || before == nullptr || before->status != "True" || !released) return;
  const auto since = std::max(*released, rfc3339_from(before->last_transition_time).value_or(now));
  if (now > since) status.suspended_seconds += std::chrono::duration_cast<seconds>(now - since).count();
}

std::optional<WallTime> deadline_of(const api::TrainingJobSpec& spec, const api::TrainingJobStatus& status) {
  const auto released = rfc3339_from(status.first_released_at);
  if (!spec.active_deadline_seconds || !released || spec.suspend) return std::nullopt;
  // A status can be written by others too; a sum of two such numbers must stay a time.
  const auto suspended = std::clamp<std::int64_t>(status.suspended_seconds, 0, api::kMaxSeconds);
  return *released + seconds(*spec.active_deadline_seconds) + seconds(suspended);
}

std::string deadline_words(const api::TrainingJobSpec& spec, const api::TrainingJobStatus& status) {
  auto words = "spec.activeDeadlineSeconds (" + std::to_string(*spec.active_deadline_seconds) +
               ") is over, counted from the first release at " + status.first_released_at;
  if (status.suspended_seconds > 0)
    words += " without " + duration_words(seconds(status.suspended_seconds)) + " of suspension";
  return words + ". What still runs is ended.";
}

std::optional<WallTime> expiry_of(const api::TrainingJobSpec& spec, const api::TrainingJobStatus& status) {
  const auto ended = rfc3339_from(status.completion_time);
  if (!spec.ttl_seconds_after_finished || !ended) return std::nullopt;
  return *ended + seconds(*spec.ttl_seconds_after_finished);
}

}  // namespace rollcall::operator_
