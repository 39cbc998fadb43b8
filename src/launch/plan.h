#pragma once

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
};

/// Pure. An Error names the field at fault ("spec.trainerContainer: `x` is none of the containers a, b").
Result<Plan> plan_of(const api::TrainingJob& job);

}  // namespace rollcall::launch
