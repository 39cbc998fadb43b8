#include <algorithm>
#include <iterator>

#include "diagnosis/cause.h"

namespace rollcall::diagnosis {
namespace {

struct Row {
  int result;
  Cause cause;
};

constexpr Cause kBlocked{
    "nvml/blocked", "the container lost its access to the GPUs",
    "A reload of systemd takes device cgroups from running containers: restart the pod, and set up the container "
    "toolkit with CDI or with the device nodes linked under /dev/char",
    "node"};

/// nvmlReturn_t, nvml.h of CUDA 12.
constexpr Row kTable[] = {
    {4,
     {"nvml/no-permission", "NVML may not read the GPU here",
      "Look at the container's security profile and device rules", "cluster"}},
    {9,
     {"nvml/driver-not-loaded", "the NVIDIA kernel driver is not loaded on the node",
      "Load it, or let the driver's DaemonSet finish: lsmod | grep nvidia on the node", "node"}},
    {12,
     {"nvml/no-library", "libnvidia-ml is not in the container",
      "It is the container toolkit's to mount: NVIDIA_DRIVER_CAPABILITIES must have utility", "job"}},
    {15,
     {"nvml/gpu-lost", "the GPU has fallen off the bus",
      "Drain the node and restart it; look for Xid 79 in its kernel log", "node"}},
    {16, {"nvml/reset-required", "the GPU needs a reset", "Drain the node and reset the GPU: nvidia-smi -r", "node"}},
    {17, kBlocked},
    {18,
     {"nvml/driver-mismatch", "libnvidia-ml is not of the same version as the kernel's driver",
      "The driver's files were upgraded under a running kernel module: drain the node and restart it", "node"}},
    {28, {"nvml/gpu-not-found", "NVML does not find the GPU", "Look for an Xid in the node's kernel log", "node"}},
    {999, kBlocked},
};

}  // namespace

const Cause* cause_of_nvml(int result) {
  const auto* row =
      std::find_if(std::begin(kTable), std::end(kTable), [&](const Row& each) { return each.result == result; });
  return row == std::end(kTable) ? nullptr : &row->cause;
}

}  // namespace rollcall::diagnosis
