#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "kube/client.h"
#include "kube/events.h"
#include "operator/decision.h"

namespace rollcall::operator_ {

/// How applying a decision went, for the queue.
enum class Applied {
  Done,
  Again,    ///< the cache was behind or another wrote first: look again soon
  Refused,  ///< the API server refuses a pod; the status says so: look again in a while
  Failed,   ///< no answer, or not allowed: back off
};

/// Told what was done and what could not be, for logs and metrics: `what` is constant, `detail` has the names.
struct ApplyObserver {
  std::function<void(const char* what, const std::string& detail)> did;
  std::function<void(const char* what, const std::string& detail, const std::string& why)> failed;
  std::function<void(const Event&)> told;
};

/// Does what a decision says, in its order, and stops at the first act that fails: the next look finds what is missing.
/// Repeating any part of it is safe. Blocks; one call per job at a time, different jobs from any threads.
Applied apply(kube::Client& client, kube::EventRecorder& events, const Observed& observed, const Decision& decision,
              WallTime now, const ApplyObserver& observer);

}  // namespace rollcall::operator_
