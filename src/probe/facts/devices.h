#pragma once

#include "probe/facts/image.h"
#include "roll_call/device_facts.h"

/// What of GPUs, NCCL and RDMA can be read without loading any of their libraries. File systems and drivers may hold
/// the reader up, so it is a child's work (children/child.h): `rollcall-probe devices`.
namespace rollcall::probe {

struct DeviceFacts {
  roll_call::GpuFacts gpu;    ///< torch_cuda, visible_devices, other
  roll_call::NcclFacts nccl;  ///< path, version, build_id, linked_statically, plugins, rdma, ibverbs, ib_driver
};

/// Prints it in lines as the child that loads the libraries does.
int print_devices();

DeviceFacts read_devices(const ImageView& image, const std::string& gpu_resource);

/// The libnccl a trainer of this image loads and what the image says of it, into `nccl`: first of `libraries` named
/// nccl, unless torch carries NCCL itself. Its net plugins with the beginning of their SHA-256.
void describe_nccl(const ImageView& image, const std::vector<roll_call::LibraryFact>& libraries,
                   roll_call::NcclFacts& nccl);

}  // namespace rollcall::probe
