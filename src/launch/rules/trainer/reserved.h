#pragma once

#include <span>
#include <string_view>

#include "launch/document/field.h"
#include "launch/launch.h"

namespace rollcall::launch::rules {

/// Names that the webhook of Kubeflow Trainer 2.3 refuses in spec.trainer.env of a TrainJob whose runtime has this
/// policy, because its controller sets them. Empty for policies that reserve none.
std::span<const std::string_view> reserved_names(const Field& policy);

/// PET_NNODES, PET_NPROC_PER_NODE, PET_NODE_RANK, PET_MASTER_ADDR, PET_MASTER_PORT.
std::span<const std::string_view> torch_names();

/// An entry of spec.trainer.env that makes every pod the same node rank of torchrun, whoever gives ranks.
bool is_rank_of_every_pod(const Launch& launch, const Field& entry);

}  // namespace rollcall::launch::rules
