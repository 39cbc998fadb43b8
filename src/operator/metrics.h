#pragma once

#include <map>
#include <string>
#include <utility>

#include "api/roll_call.h"
#include "operator/held_clock.h"
#include "telemetry/registry.h"
#include "telemetry/standard.h"

namespace rollcall::operator_ {

/// How a look at a job ended, in controller-runtime's words.
enum class LookResult { Success, Error, Requeue, RequeueAfter };

/// What `/metrics` shows of the operator. All members from any thread.
class Metrics {
 public:
  Metrics();

  telemetry::Registry& registry() { return registry_; }
  telemetry::Standard& standard() { return standard_; }

  // controller_runtime_*{controller="trainingjob"}
  void workers(int most) { most_workers_.Set(most); }
  void look_begins() { active_workers_.Increment(); }
  void look_ends(LookResult result, double seconds);
  void look_threw() { panics_.Increment(); }

  /// rollcall_operator_events_total{reason}: what happened to jobs.
  void event(const std::string& reason) { events_.Add({{"reason", reason}}).Increment(); }
  /// rollcall_attempts_ended_total{reason}.
  void attempt_ended(api::EndReason reason);
  /// rollcall_verdicts_total{kind,reason}: only those that the operator wrote; each program counts its own, so that the
  /// sum over both counts each once.
  void verdict(const api::Verdict& verdict);
  /// rollcall_held_gpu_seconds_total{cause}, rollcall_held_pod_seconds_total{cause}.
  void held(const HeldClock::Cost& cost);

 private:
  telemetry::Registry registry_;
  telemetry::Standard standard_;
  telemetry::Counters& looks_;
  prometheus::Counter& errors_;
  prometheus::Counter& panics_;
  prometheus::Histogram& seconds_;
  prometheus::Gauge& active_workers_;
  prometheus::Gauge& most_workers_;
  telemetry::Counters& events_;
  telemetry::Counters& ended_;
  telemetry::Counters& verdicts_;
  telemetry::Counters& held_gpus_;
  telemetry::Counters& held_pods_;
};

}  // namespace rollcall::operator_
