#include "operator/next_attempt.h"

#include <algorithm>

#include "operator/conditions.h"
#include "operator/job_view.h"

namespace rollcall::operator_ {

using api::EndReason;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

/// FNV-1a: spreads, needs no state, and gives the same delay again after a restart.
std::uint32_t spread(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

milliseconds doubled(milliseconds first, int times, milliseconds most) {
  auto delay = first;
  for (int i = 0; i < times && delay < most; ++i) delay *= 2;
  return std::min(delay, most);
}

void fail(Decision& decision, const std::string& why, const std::string& message, WallTime now) {
  auto& status = decision.status;
  status.phase = to_string(api::Phase::Failed);
  status.message = message;
  status.held_since.clear();
  status.next_attempt_at.clear();
  status.completion_time = rfc3339(now);
  set_condition(status, "Failed", true, why, message, now);
}

}  // namespace

std::optional<Ending> ending_of(const api::RollCall& roll_call, WallTime now) {
  const auto& status = roll_call.status;
  const auto at = [now](const std::string& text) { return rfc3339_from(text).value_or(now); };
  if (status.end) return Ending{status.end->reason, status.end->message, at(status.end->at)};
  if (status.verdict && status.verdict->kind == api::VerdictKind::Ended) {
    return Ending{status.verdict->reason.value_or(EndReason::PodLost), status.verdict->message, at(status.verdict->at)};
  }
  return std::nullopt;
}

bool spends_retry(EndReason reason) {
  switch (reason) {
    case EndReason::HoldExpired:
    case EndReason::PodLost:
    case EndReason::AddressChanged:
    case EndReason::TrainerNotStarted:
      return true;
    case EndReason::PodsNotStarted:
    case EndReason::JobsOwnCause:
    case EndReason::Suspended:
    case EndReason::JobDeleted:
    case EndReason::JobFinished:
      return false;
  }
  return true;
}

milliseconds delay_after(EndReason reason, int start_failures, int retries_used, const std::string& job_uid,
                         int attempt) {
  milliseconds delay{0};
  if (reason == EndReason::PodsNotStarted) {
    delay = doubled(minutes(1), start_failures, minutes(10));
  } else if (spends_retry(reason)) {
    delay = doubled(seconds(5), retries_used, minutes(1));
  }
  const auto fifth = delay / 5;
  return delay + fifth * (spread(job_uid + "/" + std::to_string(attempt)) % 1000) / 1000;
}

void end_attempt(const Observed& observed, int attempt, const Ending& ending, WallTime now, Decision& decision) {
  auto& status = decision.status;
  const auto& settings = observed.job.spec.roll_call;
  const auto attempt_words = "Attempt " + std::to_string(attempt);
  status.round.clear();
  status.held_since.clear();
  status.released_at.clear();
  status.answered.clear();
  status.master_addr.clear();
  status.succeeded.clear();
  set_condition(status, "RollCallPassed", false, reason::kAttemptEnded, ending.message, now);
  if (condition(status, "Released") != nullptr)
    set_condition(status, "Released", false, reason::kAttemptEnded, "", now);

  if (ending.reason == EndReason::JobsOwnCause) {
    fail(decision, reason::kJobsOwnCause, ending.message, now);
    return;
  }
  if (spends_retry(ending.reason) && status.retries_used >= settings.retries) {
    fail(decision, reason::kRollCallFailed,
         attempt_words + " ended (" + std::string(to_string(ending.reason)) + "): " + with_stop(ending.message) +
             " No retry is left of " + std::to_string(settings.retries) + " (spec.rollCall.retries).",
         now);
    return;
  }

  const auto delay =
      delay_after(ending.reason, status.start_failures, status.retries_used, observed.job.meta.uid, attempt);
  status.start_failures = ending.reason == EndReason::PodsNotStarted ? status.start_failures + 1 : 0;
  if (spends_retry(ending.reason)) ++status.retries_used;
  status.attempt = attempt + 1;
  status.nodes.clear();
  status.phase = to_string(api::Phase::Pending);
  status.message = attempt_words + " ended: " + with_stop(ending.message);
  status.next_attempt_at.clear();
  if (ending.reason == EndReason::Suspended) {
    status.message = ending.message;
    return;
  }
  const auto next = ending.at + delay;
  if (next > now) status.next_attempt_at = rfc3339(next + seconds(1));  // whole seconds: never earlier than the delay
  status.message += " Attempt " + std::to_string(attempt + 1) + " starts ";
  status.message += next > now ? "at " + time_of_day(next) + " (in " + duration_words(next - now) + ")" : "now";
  if (spends_retry(ending.reason)) {
    status.message += ", retry " + std::to_string(status.retries_used) + " of " + std::to_string(settings.retries);
  } else {
    status.message += "; no retry was spent";
  }
  status.message += ".";
  decision.events.push_back({"Warning", "AttemptEnded", status.message});
}

}  // namespace rollcall::operator_
