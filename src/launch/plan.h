#pragma once

#include <map>
#include <string>

#include "api/training_job.h"
#include "base/result.h"

namespace rollcall::launch {

/// What the operator needs to know of a job that passed the rules: the values handed to its ranks.
struct Plan {
  std::size_t trainer_index = 0;  ///< in spec.template.spec.containers
  std::string trainer;            ///< its name
  std::string launcher;  ///< torchrun, accelerate, deepspeed, jax, none; "unknown" where the command cannot be read
  int nnodes = 1;
  int nproc_per_node = 1;
  int gpus_per_pod = 0;      ///< accelerators the trainer container asks for
  std::string gpu_resource;  ///< empty when none
  bool host_network = false;
  std::string rdma_resource;                   ///< that the trainer certainly wants RDMA by; empty when none
  std::map<std::string, std::string> exports;  ///< what its command exports, as literals
  /// Why the probe's environment may not be the trainer's, as far as the template shows; empty = nothing seen.
  std::string partial_environment;
};

/// Pure. An Error names the field at fault ("spec.trainerContainer: `x` is none of the containers a, b").
Result<Plan> plan_of(const api::TrainingJob& job);

}  // namespace rollcall::launch
