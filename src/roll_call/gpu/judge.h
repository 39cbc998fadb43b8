#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "roll_call/roll.h"

/// What the GPU facts of the nodes mean. Pure; inside of roll_call/ only.
namespace rollcall::roll_call {

/// Why collectives make no sense for this job, as a clause for a person: no GPUs asked for, not NVIDIA's, slices (MIG)
/// or shared GPUs, the child cannot run, no libnccl. nullopt = they do. To be asked after the stages Gpu and Nccl.
std::optional<std::string> collectives_skipped(const Roll& roll);

/// As above, but by what the Gpu stage knows: why NCCL need not even be asked.
std::optional<std::string> nccl_skipped(const Roll& roll);

/// By the spec alone: no GPUs, or another maker's.
std::optional<std::string> not_nvidia(const Roll& roll);

/// Why only the collective across nodes makes no sense (those in a node do): the probe's environment is not the
/// trainer's, so that a failure would prove nothing. nullopt = it does, or collectives_skipped() says more.
std::optional<std::string> cross_node_skipped(const Roll& roll);

/// Empty when the probe runs in the trainer's environment on every node; else why not. Then transport and bandwidth
/// are warnings.
std::string partial_environment(const Roll& roll);

// The rules of the Gpu stage, each over all nodes. Findings that the job alone can mend stand first in `jobs_own`.

/// The child could not be started, or crashed before cuInit had answered, so that nothing is known of CUDA there.
bool not_asked(const Pod& pod);
/// GPUs that must be there for the request to be possible: only whole ones map to one device each; slices, shared and
/// time-sliced resources need at least one.
int gpus_needed(const Roll& roll, const Pod& pod);

struct GpuFindings {
  std::vector<api::NodeFinding> findings;
  bool jobs_own = false;  ///< the first one: no other node or round would do better
};

/// libcuda and cuInit: missing, failed, never ended, slow.
GpuFindings judge_cuda(const Roll& roll);
/// The count against the request; by device nodes where the child could not run.
std::vector<api::NodeFinding> judge_count(const Roll& roll);
/// The same GPU twice.
std::vector<api::NodeFinding> judge_duplicates(const Roll& roll);
/// Two pods of one node show the same GPU and each sees only as many as it asked for: time-slicing under the plain
/// resource's name.
bool time_sliced(const Roll& roll);
/// Driver, torch's CUDA, compute capability, models.
std::vector<api::NodeFinding> judge_versions(const Roll& roll);
/// What NVML says of each GPU.
std::vector<api::NodeFinding> judge_health(const Roll& roll);

/// A deadline of the stages Gpu and Nccl as the policy's deadlinePercent scales it.
std::chrono::milliseconds device_deadline(const Roll& roll, std::chrono::milliseconds base);

/// "8 x NVIDIA H100 80GB HBM3 a node, driver 550.54.15, CUDA 12.4", "(simulated)" where doubles stood in; empty when
/// nothing is known. Of the most common node.
std::string gpu_remark(const Roll& roll);

}  // namespace rollcall::roll_call
