#pragma once

#include <vector>

#include "range/table.h"

/// The rows of the table. Where a fault has a direction it is from gpu-1 to gpu-2; gpu-0 has MASTER_PORT.
namespace rollcall::range {

std::vector<Fault> network_faults();

/// Nodes of two GPUs each, which are doubles (tests/doubles); all else is as in the rows of the network.
std::vector<Fault> gpu_faults();

}  // namespace rollcall::range
