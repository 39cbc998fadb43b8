#pragma once

#include <string>

#include "probe/facts/image.h"

namespace rollcall::probe {

/// Accelerators that are not NVIDIA's, by their device nodes: "amd 8", "habana 8", "neuron 16", "tpu 4"; empty = none.
/// `gpu_resource` is what the trainer asks for: a TPU passed through as a VFIO group looks like any other device.
std::string other_accelerators(const ImageView& image, const std::string& gpu_resource);

}  // namespace rollcall::probe
