#pragma once

#include <chrono>
#include <string>

#include "api/roll_call.h"
#include "operator/decision.h"

namespace rollcall::operator_ {

/// How an attempt ended, whether or not there was a RollCall to write it on.
struct Ending {
  api::EndReason reason = api::EndReason::PodLost;
  std::string message;
  WallTime at;
};

/// The ending a RollCall tells: its verdict Ended, or its end after Released; nullopt while it goes on.
std::optional<Ending> ending_of(const api::RollCall& roll_call, WallTime now);

/// Whether an attempt that ended so spends one of spec.rollCall.retries.
bool spends_retry(api::EndReason reason);

/// Time between the end of `attempt` and the pods of the next. Pods that never started: 1, 2, 4 … 10 min, the wait for
/// room in the cluster. What spends a retry: 5 s, 10 s … 1 min, because a node that was lost needs a moment to be
/// marked so. Up to a fifth is added, by job and attempt, so that many jobs that lost the same node do not come back
/// together.
std::chrono::milliseconds delay_after(api::EndReason reason, int start_failures, int retries_used,
                                      const std::string& job_uid, int attempt);

/// Moves the status to the next attempt, or to Failed when the retries are used up or the cause is the job's own. The
/// move is one write with the resourceVersion that was read; pods of the former attempt are deleted after it.
void end_attempt(const Observed& observed, int attempt, const Ending& ending, WallTime now, Decision& decision);

}  // namespace rollcall::operator_
