#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"

/// The runtime of a TrainJob with what the TrainJob writes laid over it.
namespace rollcall::launch::train_job {

/// Names that Kubeflow Trainer gives a meaning (pkg/constants of kubeflow/trainer 2.3).
inline constexpr auto kStepLabel = "trainer.kubeflow.org/trainjob-ancestor-step";
inline constexpr auto kTrainerStep = "trainer";
inline constexpr auto kNode = "node";          ///< the replicated job and the container that train
inline constexpr auto kLauncher = "launcher";  ///< the replicated job that runs mpirun

struct Merged {
  std::shared_ptr<const nlohmann::json> object;  ///< {kMerged: the runtime, its template as the TrainJob makes it}
  std::vector<Written> written;                  ///< what of it the TrainJob wrote
};

/// As trainer.kubeflow.org/v1alpha1 of release 2.3 merges them: runtimePatches, then spec.trainer's image, command,
/// args, env and resourcesPerNode on the container `node` of the trainer's step. The overrides of releases 2.0
/// (podSpecOverrides) and 2.1 (podTemplateOverrides) are read too. Only what these fields can change is changed; any
/// object is read, however broken.
Merged merge(const nlohmann::json& runtime, const nlohmann::json& train_job);

}  // namespace rollcall::launch::train_job
