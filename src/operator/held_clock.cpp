#include "operator/held_clock.h"

#include <algorithm>

namespace rollcall::operator_ {
namespace {

double seconds(WallTime::duration time) { return std::chrono::duration<double>(time).count(); }

double held_seconds(const api::RollCallStatus& status, WallTime now) {
  const auto since = rfc3339_from(status.held_since);
  const bool held = since && !status.verdict && *since < now;
  return std::max(0.0, status.held_seconds) + (held ? seconds(now - *since) : 0.0);
}

std::string cause_of(const api::RollCallStatus& status) {
  const auto failing = std::find_if(status.findings.begin(), status.findings.end(),
                                    [](const auto& finding) { return finding.severity == "fail"; });
  return failing == status.findings.end() ? "unknown" : failing->rule;
}

}  // namespace

void HeldClock::look(const api::RollCall& roll_call, WallTime now, Cost& cost) {
  seen_.insert(roll_call.meta.uid);
  const auto held = held_seconds(roll_call.status, now);
  // Seen for the first time, it cannot have been held for longer under our eyes than we look.
  const auto [entry, fresh] = counted_.try_emplace(roll_call.meta.uid, 0.0);
  if (fresh) entry->second = std::max(0.0, held - std::max(0.0, seconds(now - since_)));
  // A clock that was set back, or a desk that rounds: wait until it has caught up.
  const auto more = held - entry->second;
  if (more <= 0) return;
  entry->second = held;
  const auto pods = static_cast<double>(roll_call.spec.roster.size());
  const auto cause = cause_of(roll_call.status);
  if (roll_call.spec.gpus_per_pod > 0) {
    cost.gpu_seconds[cause] += more * pods * roll_call.spec.gpus_per_pod;
  } else {
    cost.pod_seconds[cause] += more * pods;
  }
}

void HeldClock::end_of_look() {
  std::erase_if(counted_, [this](const auto& entry) { return !seen_.contains(entry.first); });
  seen_.clear();
}

}  // namespace rollcall::operator_
