#pragma once

#include <string_view>

/// What known error texts and codes of CUDA, NVML, NCCL, libfabric and the kernel mean to the person whose job they
/// stop. One table for the roll call and, later, for jobs that run. Pure; knows nothing of who asks.
namespace rollcall::diagnosis {

struct Cause {
  std::string_view id;       ///< "cuda/fabric-not-ready": stands in findings as the rule
  std::string_view meaning;  ///< a clause: "the NVSwitch fabric is not ready"
  std::string_view advice;   ///< a sentence: what to look at or to write instead
  std::string_view owner;    ///< job, node, cluster, network
};

/// The cause a text tells of, matched loosely (case and wording differ between versions); nullptr = none known.
const Cause* cause_of_text(std::string_view text);
/// Of a CUresult other than 0; nullptr = not in the table.
const Cause* cause_of_cuda(int result);
/// Of an nvmlReturn_t other than 0.
const Cause* cause_of_nvml(int result);

}  // namespace rollcall::diagnosis
