#include "operator/reconcile.h"

#include <algorithm>

#include "launch/check.h"
#include "operator/conditions.h"
#include "operator/job_status.h"
#include "operator/life.h"
#include "operator/look.h"
#include "operator/next_attempt.h"

namespace rollcall::operator_ {

using api::EndReason;
using std::chrono::milliseconds;

namespace {

// RollCalls of a job that stay: enough to see whether the same node ends attempt after attempt.
constexpr int kRollCallsKept = 5;

milliseconds until(WallTime then, WallTime now) { return std::max(then - now, milliseconds(10)); }

}  // namespace

Decision reconcile(const Observed& observed, WallTime now) { return Look(observed, now).take(); }

Look::Look(const Observed& observed, WallTime now) : o_(observed), now_(now), view_(view_of(observed)) {
  d_.status = observed.job.status;
  d_.status.observed_generation = observed.job.meta.generation;
  d_.attempt = view_.attempt;
}

Decision Look::take() && {
  if (!o_.job.meta.deletion_timestamp.empty()) {
    end_for(EndReason::JobDeleted, "The job was deleted.");
    return std::move(d_);
  }
  if (finished(d_.status)) {
    tidy_after_the_end();
    delete_when_expired();
    return std::move(d_);
  }
  remove_strays();
  note_first_release();
  note_suspension();
  const bool training =
      view_.roll_call != nullptr && !ending_of(*view_.roll_call, now_) && view_.roll_call->status.verdict.has_value();
  if (!training && past_deadline()) return std::move(d_);
  if (planned()) {
    if (view_.roll_call == nullptr) {
      without_roll_call();
    } else if (const auto ending = ending_of(*view_.roll_call, now_)) {
      if (takes_an_obeyed_release()) return std::move(d_);
      end_attempt(o_, view_.attempt, *ending, now_, d_);
      if (o_.job.spec.suspend && !finished(d_.status)) show_suspended();
    } else if (!view_.roll_call->status.verdict) {
      while_called();
    } else {
      after_release();
    }
  }
  return std::move(d_);
}

void Look::act(Action action) { d_.actions.push_back(std::move(action)); }

void Look::look_again(WallTime then) {
  const auto delay = until(then, now_);
  if (!d_.look_again || delay < *d_.look_again) d_.look_again = delay;
}

void Look::fail(const char* why, const std::string& message) {
  d_.status.phase = to_string(api::Phase::Failed);
  d_.status.message = message;
  d_.status.held_since.clear();
  d_.status.completion_time = rfc3339(now_);
  set_condition(d_.status, "Failed", true, why, message, now_);
}

bool Look::planned() {
  auto plan = launch::plan_of(o_.job);
  if (plan) {
    d_.plan = std::move(plan.value());
    return true;
  }
  if (refused_by_rules()) return false;
  fail(reason::kRefusedByRules, plan.error().message);
  return false;
}

bool Look::refused_by_rules() {
  if (!o_.rules_refuse) return false;
  auto checked = launch::check_launch(o_.object);
  launch::apply_policy(o_.policy, checked);
  auto& findings = checked.findings;
  // A policy refuses jobs, not the next attempt of one that was called before the policy came.
  if (view_.attempt > 1) std::erase_if(findings, [](const auto& finding) { return !finding.policy.empty(); });
  std::string words;
  for (const auto& finding : findings) {
    if (finding.severity == Severity::deny) words += (words.empty() ? "" : " ") + sentence(finding);
  }
  if (words.empty()) return false;
  fail(reason::kRefusedByRules, words);
  return true;
}

void Look::remove_strays() {
  for (const auto* pod : view_.others) {
    if (!pod->deleting) act(DeletePod{pod->name, pod->uid});
  }
  const auto& kept = view_.own_roll_calls;
  for (const auto* roll_call : kept) {
    if (roll_call->spec.attempt <= view_.attempt - kRollCallsKept)
      act(DeleteRollCall{roll_call->meta.name, roll_call->meta.uid});
  }
}

void Look::note_suspension() {
  count_suspension(o_.job.spec.suspend, now_, d_.status);
  if (o_.job.spec.suspend) {
    set_condition(d_.status, "Suspended", true, reason::kSuspended, "spec.suspend is true", now_);
  } else if (condition(d_.status, "Suspended") != nullptr) {
    set_condition(d_.status, "Suspended", false, reason::kResumed, "", now_);
  }
}

void Look::show_suspended() {
  d_.status.phase = to_string(api::Phase::Suspended);
  d_.status.next_attempt_at.clear();
  const auto pods = view_.pods.size() + view_.others.size();
  d_.status.message = pods == 0 ? "Suspended by spec.suspend; no pods and no GPUs are held."
                                : "Suspended by spec.suspend; " + std::to_string(pods) +
                                      (pods == 1 ? " pod has not ended yet." : " pods have not ended yet.");
  d_.look_again.reset();
}

void Look::note_first_release() {
  const auto* roll_call = view_.roll_call;
  if (roll_call == nullptr || !d_.status.first_released_at.empty()) return;
  if (const auto& verdict = roll_call->status.verdict; verdict && verdict->kind == api::VerdictKind::Released)
    d_.status.first_released_at = rfc3339(rfc3339_from(verdict->at).value_or(now_));
}

std::string Look::mode_source() const {
  const auto own = "spec.rollCall.mode";
  if (!o_.policy.mode) return own;
  return "RollcallPolicy " + o_.policy.mode_policy + " (" + own + " is " +
         std::string(to_string(o_.job.spec.roll_call.mode)) + ")";
}

bool Look::past_deadline() {
  const auto deadline = deadline_of(o_.job.spec, d_.status);
  if (!deadline) return false;
  if (now_ < *deadline) {
    look_again(*deadline);
    return false;
  }
  fail(reason::kDeadlineExceeded, deadline_words(o_.job.spec, d_.status));
  return true;
}

void Look::delete_when_expired() {
  const auto expiry = expiry_of(o_.job.spec, d_.status);
  if (!expiry) return;
  if (now_ < *expiry) return look_again(*expiry);
  act(DeleteJob{*o_.job.spec.ttl_seconds_after_finished});
}

void Look::end_for(EndReason why, const std::string& message,
                   std::vector<std::pair<std::string, std::string>> unless_alive) {
  const auto* roll_call = view_.roll_call;
  if (roll_call == nullptr || ending_of(*roll_call, now_)) return;
  if (roll_call->status.verdict) {
    act(WriteEnd{roll_call->meta.name, roll_call->meta.uid, {why, message, rfc3339(now_)}, std::move(unless_alive)});
  } else {
    act(WriteVerdict{roll_call->meta.name,
                     roll_call->meta.uid,
                     {api::VerdictKind::Ended, why, message, rfc3339(now_), "operator", false},
                     std::move(unless_alive)});
  }
}

}  // namespace rollcall::operator_
