#pragma once

#include "base/time_text.h"
#include "kube/client.h"
#include "operator/decision.h"

namespace rollcall::operator_ {

/// What the API server's refusal of a pod means for the job.
enum class Refusal {
  InvalidPod,  ///< no pod of this template can pass without a change of the job: a misspelt field, Pod Security
  Refused,     ///< may pass later: quota, a limit range, an admission webhook, a missing service account; asked again
  NameTaken,   ///< another's pod stands under the name
  Transient,   ///< no answer, or not now
};
Refusal refusal_of(const kube::ApiError& error);

/// Writes the refusal into the status, in the API server's own words.
void describe_refusal(const Observed& observed, const Decision& decision, int node_rank, const kube::ApiError& error,
                      WallTime now, api::TrainingJobStatus& status);

}  // namespace rollcall::operator_
