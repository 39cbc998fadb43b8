#pragma once

#include "launch/rules/families.h"

/// Rules about RDMA devices and what they need.
namespace rollcall::launch::rules {

extern const Rule rdma_locked_memory_without_root;
extern const Rule rdma_nvlink_without_claim;
extern const Rule rdma_devices_of_the_node;

}  // namespace rollcall::launch::rules
