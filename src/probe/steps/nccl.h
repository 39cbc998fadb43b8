#pragma once

#include <optional>
#include <string>

#include "probe/steps/job_image.h"

namespace rollcall::probe {

/// What the job's libnccl (or the bundled one) answers before any GPU work, asked by the child program in the job's
/// environment; the RDMA devices, the image's copies and the environment's fidelity with it, which are told even where
/// the child cannot run. At most 60 s for the child. nullopt when cancelled.
std::optional<roll_call::NcclFacts> read_nccl(const Settings& settings, JobImage& image, const Wake& cancel);

/// The library that collectives load; an Error says why there is none.
Result<std::string> nccl_library(const Settings& settings, const JobImage& image, const JobImage::Devices& devices);

/// Marks the RDMA devices that NCCL has listed in the ranks of a collective. What is marked stays so: a collective in
/// which NCCL uses no RDMA lists none.
void mark_listed(const std::vector<roll_call::RankResult>& ranks, roll_call::NcclFacts& facts);

/// One line for the log.
std::string words_for(const roll_call::NcclFacts& facts);

}  // namespace rollcall::probe
