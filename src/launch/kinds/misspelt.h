#pragma once

#include <vector>

#include "launch/document/field.h"
#include "launch/launch.h"

namespace rollcall::launch {

/// Fields of a TrainingJob's spec and of its pod template that no reader knows and that are nearly a known one: the
/// template is kept as it is written, so nobody else says so before the pods are made. Fields that resemble none are
/// passed over: they may be of a newer Kubernetes.
void find_misspelt(const Field& spec, std::vector<ShapeProblem>& problems);

/// The same of the pods of any other launch, into launch.shape; of a TrainJob also what stands in spec.trainer. A
/// runtime that was merged is looked at where it stands itself.
void find_misspelt_in_pods(Launch& launch);

}  // namespace rollcall::launch
