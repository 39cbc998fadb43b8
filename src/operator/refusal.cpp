#include "operator/refusal.h"

#include "operator/conditions.h"
#include "operator/job_view.h"

namespace rollcall::operator_ {

Refusal refusal_of(const kube::ApiError& error) {
  if (error.already_exists()) return Refusal::NameTaken;
  if (error.transient()) return Refusal::Transient;
  // A webhook may refuse with any code; what it objects to is its owner's to change, not the job's alone.
  if (error.message.find("admission webhook") != std::string::npos) return Refusal::Refused;
  if (error.http == 400 || error.http == 422) return Refusal::InvalidPod;
  if (error.http == 403 && error.message.find("violates PodSecurity") != std::string::npos) return Refusal::InvalidPod;
  return Refusal::Refused;
}

void describe_refusal(const Observed& observed, const Decision& decision, int node_rank, const kube::ApiError& error,
                      WallTime now, api::TrainingJobStatus& status) {
  const auto name = launch::pod_name(observed.job.meta.name, node_rank, decision.attempt);
  const auto place = place_words(node_rank, decision.plan.nproc_per_node, "") + " (pod " + name + ")";
  switch (refusal_of(error)) {
    case Refusal::Transient:
      return;
    case Refusal::NameTaken: {
      const auto words = "A pod named " + name + " exists and is not this job's. Delete it (kubectl delete pod -n " +
                         observed.job.meta.namespace_name + " " + name + ") or give the job another name.";
      status.message = words;
      set_condition(status, "RollCallPassed", false, reason::kPodNameTaken, words, now);
      return;
    }
    case Refusal::Refused: {
      const auto words =
          place + with_stop(" is refused by the API server: " + error.message) + " Asked again until it passes.";
      status.message = words;
      set_condition(status, "RollCallPassed", false, reason::kPodsRefused, words, now);
      return;
    }
    case Refusal::InvalidPod: {
      const auto words = "spec.template makes no valid pod: " + error.message;
      status.phase = to_string(api::Phase::Failed);
      status.message = words;
      status.completion_time = rfc3339(now);
      set_condition(status, "Failed", true, reason::kInvalidPod, words, now);
      return;
    }
  }
}

}  // namespace rollcall::operator_
