#pragma once

#include <string>
#include <vector>

#include "probe/facts/image.h"
#include "roll_call/device_facts.h"

namespace rollcall::probe {

/// Every RDMA device that /sys/class/infiniband shows, sorted by name: on the host network, and in many containers,
/// those of the whole node, so that a device is of interest only when it `opens`. Port 1 stands for the device, as
/// NCCL's devices have one port each. `image.root` is put before /sys and /dev. Opens device nodes, which a driver may
/// hold up: call it in a child with a deadline.
///
/// Files by Documentation/ABI/stable/sysfs-class-infiniband of Linux.
std::vector<roll_call::RdmaDevice> read_rdma(const ImageView& image);

/// The GID index that NCCL takes on `port` (a directory): NCCL_IB_GID_INDEX; on InfiniBand 0; else the first configured
/// one of RoCE v2 with an IPv4 address, then of RoCE v2, then 0 (ncclIbGetGidIndex of 2.21 and later).
int chosen_gid_index(const ImageView& image, const std::string& port, const std::string& link_layer);

/// Whether a loader finds libibverbs.so.1, without which NCCL and every plugin have no RDMA.
bool has_ibverbs(const ImageView& image);

}  // namespace rollcall::probe
