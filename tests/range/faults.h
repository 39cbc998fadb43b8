#pragma once

#include <vector>

#include "range/table.h"

/// The rows of the table. Where a fault has a direction it is from gpu-1 to gpu-2; gpu-0 has MASTER_PORT.
namespace rollcall::range {

std::vector<Fault> network_faults();

}  // namespace rollcall::range
