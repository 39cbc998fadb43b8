#pragma once

#include "launch/rules/families.h"

/// Rules about a TrainJob and the runtime that it names (trainer.kubeflow.org).
namespace rollcall::launch::rules {

extern const Rule trainer_reserved_env;
extern const Rule trainer_reserved_env_of_some_runtimes;
extern const Rule trainer_gpus_not_counted;
extern const Rule trainer_no_trainer_step;
extern const Rule trainer_nothing_handed_over;
extern const Rule trainer_address_of_no_pod;
extern const Rule trainer_fewer_ranks_than_gpus;
extern const Rule trainer_several_launchers;
extern const Rule trainer_nccl_without_gpus;
extern const Rule trainer_patch_of_nothing;
extern const Rule trainer_launcher_without_nodes;
extern const Rule trainer_step_without_container;

}  // namespace rollcall::launch::rules
