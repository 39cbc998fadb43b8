#pragma once

#include <string>

#include "launch/launch.h"

/// How a role's pods come to RDMA devices.
namespace rollcall::launch::rules {

/// The first resource of the trainer's limits or requests that is an RDMA device: `rdma/ib`. Empty when there is none.
std::string rdma_resource(const Role& role);

bool is_efa(const std::string& resource);

/// Whether the container sees and may open every device of its node.
bool is_privileged(const Role& role);

/// Whether devices may come by a way that resources do not show: a claim, or an annotation for the runtime.
bool other_devices(const Role& role);

/// The hostPath of the node's RDMA devices among the pod's volumes; absent when there is none.
Field infiniband_of_the_node(const Role& role);

/// Whether the trainer has this capability added.
bool adds_capability(const Role& role, const std::string& name);

}  // namespace rollcall::launch::rules
