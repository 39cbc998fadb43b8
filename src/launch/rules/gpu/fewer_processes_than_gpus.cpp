#include "launch/kinds/accelerators.h"
#include "launch/rules/gpu/family.h"
#include "launch/rules/gpu/processes.h"

namespace rollcall::launch::rules {
namespace {

/// One JAX process drives every device of its node, and so can every runtime of devices with several cores.
bool drives_all(const Role& role) {
  const auto& launcher = role.command.launcher;
  return (launcher.known() && *launcher == "jax") ||
         (role.gpus_per_pod.known() && *role.gpus_per_pod > 0 && !has_room_for_one(role.gpu_resource));
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto& processes = role.processes_per_node;
    const auto& gpus = role.gpus_per_pod;
    if (!processes.known() || !gpus.known() || *processes >= *gpus || drives_all(role)) continue;
    // Nothing tells the launcher how many: trainer/nothing-handed-over.
    if (launch.kind == JobKind::train_job && !launch.root["spec"]["trainer"].present()) continue;
    // The launcher contradicts the spec: that is said first.
    if (judgement.denied(processes.path())) continue;
    auto words = judgement.add(gpu_fewer_processes_than_gpus, processes.path());
    words
        .wrong("{} processes per node, but the pod requests {} {}: {} stay idle.", *processes, *gpus, role.gpu_resource,
               *gpus - *processes)
        .patch(processes_patch(launch, role));
    const Fact<int>& nodes = role.told.nodes;
    if (role.command.launcher.known() && *role.command.launcher == "accelerate" && nodes.known() && *nodes > 1) {
      words.instead("num_processes is the total over all {} machines: write {}, or request {} GPUs.", *nodes,
                    static_cast<long long>(*nodes) * *gpus, *processes);
    } else {
      words.instead("Write {} processes, or request {} GPUs.", *gpus, *processes);
    }
  }
}

}  // namespace

const Rule gpu_fewer_processes_than_gpus{
    .id = "gpu/fewer-processes-than-gpus",
    .severity = Severity::warn,
    .title = "fewer processes per node than GPUs in the pod",
    .why =
        "The GPUs without a process are reserved and idle for the whole run, unless one process drives several of them "
        "by itself.",
    .wrong = "nprocPerNode: 4 with nvidia.com/gpu: 8",
    .right = "nprocPerNode: 8 with nvidia.com/gpu: 8",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
