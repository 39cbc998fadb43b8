#pragma once

#include <string>
#include <string_view>

#include "launch/document/field.h"

namespace rollcall::launch {

/// Whether a resource is one of the device plugins for RDMA: k8s-rdma-shared-dev-plugin and its kin (`rdma/…`),
/// NVIDIA's network operator, AWS.
bool is_rdma(std::string_view resource);

/// The same, where the name leaves no doubt that whoever asks for it wants RDMA: not `nvidia.com/hostdev`, which hands
/// out any device of the host; of SR-IOV's names, which people make up (`openshift.io/…`), those that say rdma.
bool is_certainly_rdma(std::string_view resource);

/// The first resource of a container's limits or requests that `is` such a device: `rdma/ib`. Empty when there is none.
std::string rdma_resource(const Field& container, bool (*is)(std::string_view) = is_rdma);

}  // namespace rollcall::launch
