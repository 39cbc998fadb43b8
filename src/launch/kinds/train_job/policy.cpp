#include "launch/kinds/train_job/policy.h"

#include "launch/kinds/context.h"
#include "launch/merged.h"

namespace rollcall::launch::train_job {

bool runtime_known(const Launch& launch) { return runtime_of(launch).present(); }

Field runtime_of(const Launch& launch) {
  if (launch.kind != JobKind::train_job || launch.merged == nullptr) return {};
  const Field whole = Field(*launch.merged)[kMerged];
  // What stands in for a runtime that is not in sight says no kind.
  return whole["kind"].present() ? whole : Field();
}

Field unpatched_jobs_of(const Launch& launch) {
  if (launch.around == nullptr || !launch.root.present()) return {};
  const auto name = runtime_named_by(launch.root.json());
  const nlohmann::json* runtime = name ? launch.around->runtimes().find(*name) : nullptr;
  return runtime == nullptr ? Field() : Field(*runtime)["spec"]["template"]["spec"]["replicatedJobs"];
}

Field policy_of(const Launch& launch) { return runtime_of(launch)["spec"]["mlPolicy"]; }

}  // namespace rollcall::launch::train_job
