#include "operator/metrics.h"

namespace rollcall::operator_ {
namespace {

const prometheus::Labels kController{{"controller", "trainingjob"}};

const char* word_of(LookResult result) {
  switch (result) {
    case LookResult::Success:
      return "success";
    case LookResult::Error:
      return "error";
    case LookResult::Requeue:
      return "requeue";
    case LookResult::RequeueAfter:
      return "requeue_after";
  }
  return "error";
}

}  // namespace

Metrics::Metrics()
    : registry_("rollcall-operator"),
      standard_(registry_),
      looks_(registry_.counters("controller_runtime_reconcile_total", "Looks at a job, by how they ended.")),
      errors_(registry_.counters("controller_runtime_reconcile_errors_total", "Looks that failed and are tried again.")
                  .Add(kController)),
      panics_(registry_
                  .counters("controller_runtime_reconcile_panics_total",
                            "Looks that ended in an exception; a defect of the operator.")
                  .Add(kController)),
      seconds_(registry_.histograms("controller_runtime_reconcile_time_seconds", "How long a look took.")
                   .Add(kController, telemetry::call_buckets())),
      active_workers_(registry_.gauges("controller_runtime_active_workers", "Workers that look at a job right now.")
                          .Add(kController)),
      most_workers_(registry_
                        .gauges("controller_runtime_max_concurrent_reconciles",
                                "Workers there are; 0 while this process does not lead.")
                        .Add(kController)),
      events_(registry_.counters("rollcall_operator_events_total",
                                 "What happened to jobs, by the reason of the event: Held, Released, Overridden …")),
      ended_(registry_.counters("rollcall_attempts_ended_total", "Attempts that ended, by reason.")),
      verdicts_(registry_.counters("rollcall_verdicts_total",
                                   "Verdicts that this program wrote, by kind and, for Ended, reason.")),
      held_gpus_(registry_.counters("rollcall_held_gpu_seconds_total",
                                    "GPU-seconds that held jobs kept waiting, by the rule of the first finding.")),
      held_pods_(registry_.counters(
          "rollcall_held_pod_seconds_total",
          "Pod-seconds that held jobs without GPUs kept waiting, by the rule of the first finding.")) {}

void Metrics::look_ends(LookResult result, double seconds) {
  active_workers_.Decrement();
  seconds_.Observe(seconds);
  auto labels = kController;
  labels["result"] = word_of(result);
  looks_.Add(labels).Increment();
  if (result == LookResult::Error) errors_.Increment();
}

void Metrics::attempt_ended(api::EndReason reason) {
  ended_.Add({{"reason", std::string(api::to_string(reason))}}).Increment();
}

void Metrics::verdict(const api::Verdict& verdict) {
  verdicts_
      .Add({{"kind", std::string(api::to_string(verdict.kind))},
            {"reason", verdict.reason ? std::string(api::to_string(*verdict.reason)) : ""}})
      .Increment();
}

void Metrics::held(const HeldClock::Cost& cost) {
  for (const auto& [cause, seconds] : cost.gpu_seconds) held_gpus_.Add({{"cause", cause}}).Increment(seconds);
  for (const auto& [cause, seconds] : cost.pod_seconds) held_pods_.Add({{"cause", cause}}).Increment(seconds);
}

}  // namespace rollcall::operator_
