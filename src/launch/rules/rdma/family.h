#pragma once

#include "launch/rules/families.h"

/// Rules about RDMA devices and what they need.
namespace rollcall::launch::rules {

extern const Rule rdma_locked_memory_without_root;
extern const Rule rdma_nvlink_without_claim;
extern const Rule rdma_devices_of_the_node;
extern const Rule rdma_efa_without_device;
extern const Rule rdma_fabric_not_used;
extern const Rule rdma_no_locked_memory;
extern const Rule rdma_devices_not_allowed;

}  // namespace rollcall::launch::rules
