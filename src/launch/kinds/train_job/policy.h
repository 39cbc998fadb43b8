#pragma once

#include "launch/document/field.h"
#include "launch/launch.h"

/// What rules about a TrainJob look at beside its roles.
namespace rollcall::launch::train_job {

/// Whether the runtime is in sight: else everything it could say is open.
bool runtime_known(const Launch& launch);

/// The runtime, with what the TrainJob writes laid over its template; absent when it is not in sight.
Field runtime_of(const Launch& launch);

/// The replicated jobs of the runtime before any patch, as known in Launch::around; absent when it is not in sight.
Field unpatched_jobs_of(const Launch& launch);

/// Its spec.mlPolicy.
Field policy_of(const Launch& launch);

}  // namespace rollcall::launch::train_job
