#pragma once

#include <string>
#include <string_view>

#include "probe/facts/image.h"

namespace rollcall::probe {

/// CUDA that torch was built for, as the driver counts (12040 for 12.4): the line `cuda: Optional[str] = '12.4'` of
/// torch/version.py, else the version's own suffix, `+cu124`; 0 = a build without CUDA, or not readable.
int torch_cuda_from(std::string_view version_py);

/// The library of torch (a directory, below image.root) that carries NCCL itself: its path when libtorch_cuda.so
/// defines ncclGetUniqueId; empty when it takes it from libnccl.so.2, or is not there.
std::string nccl_inside_torch(const ImageView& image, const std::string& torch);

/// Devices that CUDA_VISIBLE_DEVICES lets a process see, as CUDA counts: up to the first entry that is no device
/// ("-1"); -1 = not set.
int visible_devices(const ImageView& image);

}  // namespace rollcall::probe
