#include <algorithm>
#include <iterator>

#include "diagnosis/cause.h"

namespace rollcall::diagnosis {
namespace {

struct Row {
  int result;
  Cause cause;
};

constexpr Cause kUnusable{
    "cuda/device-unusable", "the GPU's device node is there but cannot be used",
    "Look at the driver's messages on the node (dmesg, nvidia-smi), at the container's device permissions, and for "
    "another process that holds the GPU in exclusive mode",
    "node"};
constexpr Cause kMps{"cuda/mps", "the MPS server does not serve this process",
                     "Look at the MPS daemon of the node, or give the job whole GPUs", "node"};

/// CUresult, cuda.h of CUDA 12: what a person can act on. 100 and 101 speak of what the container was given, 802 to 804
/// of driver and image.
constexpr Row kTable[] = {
    {2,
     {"cuda/out-of-memory", "the GPU has no memory left",
      "Look for a process that was left on the GPU: nvidia-smi on the node, not in the container", "node"}},
    {34,
     {"cuda/stub-library", "the libcuda that was loaded is the toolkit's stub, not the driver's",
      "Remove directories named stubs from LD_LIBRARY_PATH in the image: the stub is for linking only", "job"}},
    {46, kUnusable},
    {100,
     {"cuda/no-device", "CUDA sees no GPU in this container",
      "Look at the resource request, the runtime class and NVIDIA_VISIBLE_DEVICES or CUDA_VISIBLE_DEVICES", "job"}},
    {101,
     {"cuda/invalid-device", "a GPU was asked for by a number that does not exist here",
      "Look at CUDA_VISIBLE_DEVICES and at the number of processes a node", "job"}},
    {214,
     {"cuda/ecc", "the GPU met a memory error that cannot be corrected",
      "Reset the GPU or drain the node; if it comes back, replace the GPU", "node"}},
    {217,
     {"cuda/peer-access", "two GPUs of the node cannot reach each other's memory directly",
      "Look at nvidia-smi topo -p2p r on the node, at ACS in its BIOS and at the driver", "node"}},
    {220,
     {"cuda/nvlink", "the GPU met an NVLink error that cannot be corrected",
      "Reset the GPUs of the node or drain it; nvidia-smi nvlink -e shows the link", "node"}},
    {226,
     {"cuda/contained-error", "the GPU met a memory error that was contained in this process",
      "Reset the GPU when the node is free; a second one is a reason to replace it", "node"}},
    {304, kUnusable},
    {700,
     {"cuda/illegal-address", "a kernel read or wrote memory that is not its own",
      "If it is the job's kernel, run it under compute-sanitizer; if every job fails on this GPU, drain the node",
      "job"}},
    {719,
     {"cuda/launch-failed", "a kernel ended with a hardware or memory fault",
      "Look for an Xid in the node's kernel log; if there is none, run the job under compute-sanitizer", "node"}},
    {800,
     {"cuda/not-permitted", "CUDA was not permitted to do this",
      "On multi-node NVLink machines the container needs an IMEX channel (/dev/nvidia-caps-imex-channels): claim one "
      "in the template",
      "job"}},
    {801,
     {"cuda/not-supported", "the GPU or the driver does not support what was asked",
      "Compare the driver's version with that of the nodes that work", "cluster"}},
    {802,
     {"cuda/fabric-not-ready", "the NVSwitch fabric is not ready",
      "Look at nvidia-fabricmanager on the node: it must run, and its version must be the driver's", "node"}},
    {803,
     {"cuda/driver-mismatch", "libcuda is not of the same version as the kernel's driver",
      "Either the host's driver was upgraded and the node not restarted, or a libcuda in the image hides the host's: "
      "find / -name 'libcuda.so*' in the image",
      "node"}},
    {804,
     {"cuda/forward-compatibility", "the image brings a libcuda (cuda-compat) that this GPU or driver does not allow",
      "Take the compat directory out of LD_LIBRARY_PATH, use an image for an older CUDA, or upgrade the driver",
      "job"}},
    {805, kMps},
    {806, kMps},
    {807, kMps},
    {808, kMps},
    {809, kMps},
    {810, kMps},
    {999, kUnusable},
};

}  // namespace

const Cause* cause_of_cuda(int result) {
  const auto* row =
      std::find_if(std::begin(kTable), std::end(kTable), [&](const Row& each) { return each.result == result; });
  return row == std::end(kTable) ? nullptr : &row->cause;
}

}  // namespace rollcall::diagnosis
