#pragma once

#include <span>
#include <string>
#include <string_view>

#include "child/driver/cuda.h"
#include "roll_call/device_facts.h"

/// `rollcall-probe-child gpu`: what CUDA and NVML say of this container's GPUs. Nothing is allocated on a device and no
/// context is made, so nothing of it is left when the process ends. What can be read without NVIDIA's libraries
/// (devices of other makers, CUDA_VISIBLE_DEVICES, torch's CUDA) is the parent's to read.
namespace rollcall::child {

/// Says a step before each call into a library, and the facts so far after each part. Returns 0 when CUDA answered, 1
/// when the facts say why it did not, 2 when called with arguments.
int run_gpu(std::span<const std::string_view> arguments);

/// cuInit, then every device CUDA shows. False when cuInit or the count failed: `facts` say with what.
bool read_cuda(const Cuda& cuda, roll_call::GpuFacts& facts);

/// What NVML adds to the devices in `facts`: driver, health, links, memory. A library that is absent or does not start
/// is told in nvml_result and nvml_name; what it does not say of one device, in that device's `error`.
void read_nvml(roll_call::GpuFacts& facts);

/// "GPU-01234567-89ab-…" of CUDA's 16 bytes; `kind` is "GPU" or "MIG".
std::string uuid_text(std::string_view kind, const CUuuid& uuid);

/// The kernel module's version in the text of /proc/driver/nvidia/version: "550.54.15"; empty when there is none in it.
std::string kernel_module_version(std::string_view text);

}  // namespace rollcall::child
