#include "launch/kinds/accelerators.h"
#include "launch/rules/command_text.h"
#include "launch/rules/gpu/family.h"
#include "launch/rules/gpu/processes.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto& processes = role.processes_per_node;
    const auto& gpus = role.gpus_per_pod;
    // A job that asks for no accelerator trains on CPUs.
    if (!processes.known() || !gpus.known() || *gpus == 0 || *processes <= *gpus ||
        !has_room_for_one(role.gpu_resource))
      continue;
    // gloo computes on CPUs, for all that the manifest says.
    if (mentions(role.container, "gloo")) continue;
    // A controller that counts CPUs, because it sees no GPU: trainer/gpus-not-counted.
    if (launch.kind == JobKind::train_job && processes.path().ends_with(".cpu")) continue;
    judgement.add(gpu_more_processes_than_gpus, processes.path())
        .wrong("{} processes per node, but the pod requests {} {}.", *processes, *gpus, role.gpu_resource)
        .instead("Write {} or fewer processes, or request {} GPUs.", *gpus, *processes)
        .patch(processes_patch(launch, role));
  }
}

}  // namespace

const Rule gpu_more_processes_than_gpus{
    .id = "gpu/more-processes-than-gpus",
    .severity = Severity::deny,
    .title = "more processes per node than GPUs in the pod",
    .why =
        "Each process needs a GPU of its own. The surplus local ranks fail with an invalid device ordinal, or two "
        "ranks share a GPU and NCCL refuses the communicator, while the other nodes wait.",
    .wrong = "nprocPerNode: 8 with nvidia.com/gpu: 4",
    .right = "nprocPerNode: 4 with nvidia.com/gpu: 4",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
