#pragma once

#include <optional>
#include <string>

#include "probe/steps/job_image.h"

namespace rollcall::probe {

/// What CUDA and NVML say, asked by the child program in the job's environment, and what files say of torch and of
/// other makers' accelerators. At most 150 s, and once as long again while the child still advances. nullopt when
/// cancelled.
std::optional<roll_call::GpuFacts> read_gpus(const Settings& settings, JobImage& image, const Wake& cancel);

/// One line for the log.
std::string words_for(const roll_call::GpuFacts& facts);

}  // namespace rollcall::probe
