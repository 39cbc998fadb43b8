#pragma once

#include <string>
#include <vector>

#include "launch/document/field.h"
#include "launch/fact.h"
#include "launch/launch.h"

namespace rollcall::launch::train_job {

/// The frameworks that a runtime's spec.mlPolicy has a plugin for.
enum class Framework { none, torch, jax, mpi, other };

/// What decides the env of the trainer's container.
struct Setting {
  Field job;        ///< the TrainJob
  Field policy;     ///< the runtime's spec.mlPolicy
  Field container;  ///< the trainer's, merged
  Fact<int> nodes;
};

Framework framework_of(const Field& policy);

/// What the controller sets in the container `node` of the trainer's step, as release 2.3 does: nothing for a TrainJob
/// without spec.trainer. Torch: PET_NNODES, PET_NPROC_PER_NODE, PET_NODE_RANK and, but for torchtune, PET_MASTER_ADDR
/// and PET_MASTER_PORT; over what the runtime has. JAX: JAX_NUM_PROCESSES, JAX_PROCESS_ID, JAX_COORDINATOR_ADDRESS;
/// what spec.trainer.env says of them wins.
std::vector<EnvEntry> given_by(const Setting& setting);

/// Open entries for names that an unseen runtime may make the controller set.
std::vector<EnvEntry> maybe_given();

/// Whether spec.trainer.command is exactly `tune run`: torchtune, whose rendezvous the controller writes into the
/// command.
bool is_torchtune(const Field& job);

/// GPUs of each node as the controller counts them, which differs from what the pods get: spec.trainer.resourcesPerNode
/// alone where it is written, else the runtime's; any resource with `gpu` in its name.
Fact<int> gpus_counted(const Field& job, const Field& runtime_container);

}  // namespace rollcall::launch::train_job
