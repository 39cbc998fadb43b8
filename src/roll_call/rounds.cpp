#include "roll_call/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "roll_call/deadlines.h"
#include "roll_call/stages/stage.h"
#include "roll_call/story.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

void start_stage(Roll& roll, TimePoint now) {
  if (roll.at >= kStages) return;
  StageRun& run = roll.stages[static_cast<std::size_t>(roll.at)];
  run.state = StageState::Running;
  run.started_at = now;
  roll.step = 0;
  roll.step_from = now;
  roll.status_changed = roll.orders_changed = true;
}

void end_stage(Roll& roll, StageState state, std::string reason, TimePoint now) {
  StageRun& run = roll.stages[static_cast<std::size_t>(roll.at)];
  run.state = state;
  run.reason = std::move(reason);
  run.ended_at = now;
  ++roll.at;
  roll.status_changed = roll.orders_changed = true;
}

void skip_to(Roll& roll, int stage, const std::string& reason, TimePoint now) {
  while (roll.at < stage) end_stage(roll, StageState::Skipped, reason, now);
}

StageState state_of(stages::Outcome outcome) {
  switch (outcome) {
    case stages::Outcome::Passed:
      return StageState::Passed;
    case stages::Outcome::Failed:
      return StageState::Failed;
    case stages::Outcome::Skipped:
      return StageState::Skipped;
    case stages::Outcome::Running:
      break;
  }
  return StageState::Running;
}

std::chrono::seconds pause_after(int holds) {
  return kPauses[std::min(static_cast<std::size_t>(holds), kPauses.size() - 1)];
}

void hold(Roll& roll, TimePoint now, bool for_missing) {
  skip_to(roll, kStages, "not run: the round was held before", now);
  roll.phase = Phase::Held;
  roll.held_since = now;
  roll.next_round_at = now + pause_after(roll.holds++);
  roll.held_for_missing = for_missing;
  roll.status_changed = roll.orders_changed = true;
}

void end_hold(Roll& roll, TimePoint now) {
  if (roll.held_since && roll.past.size() < kMaxPast) {
    const std::chrono::duration<double> held = now - *roll.held_since;
    roll.past.push_back({"Held", "", rfc3339(*roll.held_since), std::max(1.0, std::round(held.count())), -1});
  }
  roll.held_before = held_for(roll, now);
  roll.held_since.reset();
  roll.next_round_at.reset();
}

void ask_for(Roll& roll, api::VerdictKind kind, std::optional<api::EndReason> reason, std::string message,
             TimePoint now) {
  // One write at a time, and a pause after one that failed.
  if (roll.verdict_asked || (roll.verdict_again_at && now < *roll.verdict_again_at)) return;
  api::Verdict verdict;
  verdict.kind = kind;
  verdict.reason = reason;
  verdict.message = std::move(message);
  verdict.at = rfc3339(now);
  verdict.by = "desk";
  verdict.overridden = kind == api::VerdictKind::Released && roll.override_reason.has_value();
  roll.verdict_asked = true;
  roll.verdict_again_at.reset();
  roll.write_verdict = std::move(verdict);
  roll.status_changed = roll.orders_changed = true;
}

void end_attempt(Roll& roll, api::EndReason reason, TimePoint now) {
  ask_for(roll, api::VerdictKind::Ended, reason, end_message(roll, reason, now), now);
}

/// Every stage has ended: release, hold or end.
void conclude(Roll& roll, TimePoint now) {
  const bool safe = all_seen(roll);  // in every mode: a trainer without the address must not start
  if (safe && (roll.releases_whatever() || !any_failure(roll))) {
    ask_for(roll, api::VerdictKind::Released, std::nullopt, release_message(roll), now);
    return;
  }
  const auto own =
      std::find_if(roll.findings.begin(), roll.findings.end(), [](const StageFinding& each) { return each.jobs_own; });
  if (own != roll.findings.end() && !roll.releases_whatever())
    return end_attempt(roll, api::EndReason::JobsOwnCause, now);
  if (!any_failure(roll)) {
    // All stages passed, then a pod was lost or took its word back.
    for (auto& finding : missing_findings(roll, now)) stages::add(roll, Stage::AddressSeen, std::move(finding));
  }
  hold(roll, now, false);
}

/// A stage that can't be waited for any longer: timeoutSeconds is over.
void time_out(Roll& roll, TimePoint now) {
  const Stage stage = static_cast<Stage>(roll.at);
  for (auto& finding : missing_findings(roll, now)) roll.findings.push_back({stage, std::move(finding), false});
  const bool gathering = stage == Stage::Gathering;
  end_stage(roll, StageState::Failed, fmt::format("timeoutSeconds ({} s) is over", roll.spec.settings.timeout_seconds),
            now);
  hold(roll, now, gathering);
}

void run_stages(Roll& roll, TimePoint now) {
  while (roll.phase == Phase::Round && roll.at < kStages) {
    const Stage stage = static_cast<Stage>(roll.at);
    if (stage > Stage::Gathering && stage < Stage::AddressSeen && roll.skips_stages()) {
      skip_to(roll, static_cast<int>(Stage::AddressSeen),
              roll.override_reason   ? "overridden: " + *roll.override_reason
              : roll.observed_before ? std::string("mode is Observe now: the findings of the round before stand")
                                     : std::string("mode is Off"),
              now);
      continue;
    }
    // One finding ends an enforced round, but only after the network stages: a person wants all causes at once. Silence
    // ends it before, for whoever is silent would be waited for again in every stage.
    if (stage > Stage::Gathering && !roll.releases_whatever()) {
      const bool silent =
          roll.any_silent && std::any_of(roll.pods.begin(), roll.pods.end(), [](const Pod& pod) { return pod.silent; });
      if (silent || (stage == Stage::AddressSeen && any_failure(roll))) {
        skip_to(roll, kStages,
                silent ? "not run: a probe did not finish a stage before" : "not run: a stage before failed", now);
        continue;
      }
    }
    if (roll.run_of(stage).state == StageState::Waiting) start_stage(roll, now);
    if (const auto ends = round_ends_at(roll); ends && now >= *ends) return time_out(roll, now);
    auto progress = stages::definition(stage).check(roll, now);
    if (progress.outcome == stages::Outcome::Running) return;
    end_stage(roll, state_of(progress.outcome), std::move(progress.reason), now);
  }
}

/// An override, or a mode in which the findings that held the job don't count, need not wait for the next round.
bool may_leave_hold(const Roll& roll, TimePoint now) {
  if (now >= *roll.next_round_at) return true;
  if (roll.skips_stages() && all_seen(roll)) return true;
  const bool all_back = std::all_of(roll.pods.begin(), roll.pods.end(), [&](const Pod& pod) {
    return pod.heard() && !pod.gone() && pod.heard_at && now - *pod.heard_at < kMute;
  });
  return roll.held_for_missing && all_back;
}

}  // namespace

void begin_round(Roll& roll, TimePoint now, bool new_clock) {
  if (roll.phase == Phase::Held) end_hold(roll, now);
  roll.phase = Phase::Round;
  ++roll.round.n;
  if (new_clock) roll.clock_from = now;
  roll.at = 0;
  roll.stages.assign(kStages, StageRun{});
  roll.pairs.clear();
  if (!roll.findings.empty()) roll.former_findings = roll.findings;
  if (roll.override_reason || roll.observed_before) {
    // What is released in spite of stays on record.
    std::erase_if(roll.findings, [](const StageFinding& each) {
      return each.stage == Stage::Gathering || each.stage == Stage::AddressSeen;
    });
  } else {
    roll.findings.clear();
  }
  for (Pod& pod : roll.pods) {
    pod.silent = false;
    pod.void_results();
  }
  roll.any_silent = false;
  roll.plan = {};
  roll.memory = {};
  start_stage(roll, now);
}

void advance(Roll& roll, TimePoint now) {
  if (roll.verdict || roll.verdict_asked) return;
  if (roll.verdict_again_at && now >= *roll.verdict_again_at) roll.verdict_again_at.reset();
  if (roll.restart_wanted && roll.phase == Phase::Round && roll.at > 0) begin_round(roll, now, false);
  roll.restart_wanted = false;
  if (roll.master_addr.empty() && roll.pods.front().heard() && !roll.pods.front().address().empty()) {
    roll.first_address = roll.pods.front().address();
    roll.master_addr = roll.spec.master_addr.value_or(roll.first_address);
    roll.status_changed = roll.orders_changed = true;
  }
  if (!roll.last_start && all_started(roll)) roll.last_start = last_started(roll);
  if (!roll.changed_address.empty()) return end_attempt(roll, api::EndReason::AddressChanged, now);
  if (const auto ends = wait_ends_at(roll); ends && now >= *ends && !all_started(roll)) {
    return end_attempt(roll, api::EndReason::PodsNotStarted, now);
  }
  if (roll.phase == Phase::Held) {
    if (held_for(roll, now) >= std::chrono::seconds{roll.spec.settings.hold_seconds}) {
      return end_attempt(roll, api::EndReason::HoldExpired, now);
    }
    if (!may_leave_hold(roll, now)) return;
    begin_round(roll, now, true);
  }
  run_stages(roll, now);
  if (roll.phase == Phase::Round && roll.at == kStages) conclude(roll, now);
}

std::optional<TimePoint> next_wake(const Roll& roll, TimePoint now) {
  if (roll.verdict || roll.verdict_asked) return std::nullopt;
  std::optional<TimePoint> wake;
  const auto also = [&](std::optional<TimePoint> at) {
    if (at && (!wake || *at < *wake)) wake = at;
  };
  also(roll.verdict_again_at);
  also(roll.words_at + kWordsRefresh);
  if (!all_started(roll)) also(wait_ends_at(roll));
  if (roll.phase == Phase::Held) {
    also(roll.next_round_at);
    also(*roll.held_since + std::chrono::seconds{roll.spec.settings.hold_seconds} - roll.held_before);
  } else if (roll.at < kStages) {
    also(round_ends_at(roll));
    also(stages::definition(static_cast<Stage>(roll.at)).due(roll));
    for (const Pod& pod : roll.pods) {
      if (roll.heard == roll.pods.size()) break;
      if (pod.started_at && !pod.heard() && *pod.started_at + kMute > now) also(*pod.started_at + kMute);
    }
  }
  if (wake && *wake <= now) wake = now + kVerdictPause;
  return wake;
}

void take_verdict(Roll& roll, const api::Verdict& stored, TimePoint now) {
  if (roll.verdict) return;  // the first that was stored is the one; the API server has no other
  roll.verdict = stored;
  roll.verdict_asked = false;
  roll.verdict_again_at.reset();
  if (roll.phase == Phase::Held) end_hold(roll, now);
  roll.phase = Phase::Verdict;
  roll.status_changed = roll.orders_changed = true;
}

void verdict_write_failed(Roll& roll, TimePoint now) {
  if (!roll.verdict_asked) return;
  roll.verdict_asked = false;
  for (Pod& pod : roll.pods) pod.started_anew = false;  // nothing was released: the round begins anew with it
  const auto pause =
      std::min<std::chrono::seconds>(kVerdictPauseMax, kVerdictPause * (1 << std::min(roll.verdict_failures, 3)));
  ++roll.verdict_failures;
  roll.verdict_again_at = now + pause;
}

}  // namespace rollcall::roll_call
