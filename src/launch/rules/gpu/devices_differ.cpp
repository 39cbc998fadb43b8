#include "launch/rules/gpu/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Role* first = nullptr;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    const bool node = role.command.by_torchrun() || (launcher.known() && *launcher == "accelerate");
    if (!node || !role.gpus_per_pod.known() || !role.nodes.known() || *role.nodes < 2) continue;
    if (first == nullptr) {
      first = &role;
      continue;
    }
    const bool world = launch.nodes_decided || (role.told.master.known() && first->told.master.known() &&
                                                *role.told.master == *first->told.master);
    if (!world || *role.gpus_per_pod == *first->gpus_per_pod || role.gpu_resource != first->gpu_resource) continue;
    // More or fewer processes than devices is said first.
    if (judgement.denied(role.processes_per_node.path()) || judgement.denied(first->processes_per_node.path()))
      continue;
    judgement.add(gpu_devices_differ, role.gpus_per_pod.path())
        .wrong("a pod of `{}` has {} {}, one of `{}` {}.", role.name, *role.gpus_per_pod, role.gpu_resource,
               first->name, *first->gpus_per_pod)
        .instead("Ask for the same number in both.");
  }
}

}  // namespace

const Rule gpu_devices_differ{
    .id = "gpu/devices-differ",
    .severity = Severity::warn,
    .title = "roles of one world with different numbers of devices",
    .why =
        "torchrun starts a process for each device, so the nodes have different numbers of ranks. Programs count on "
        "the same number everywhere: the rank is taken for node x devices + device, and collectives within a node do "
        "not match.",
    .wrong = "nvidia.com/gpu: 1 in the Master and 2 in the Workers",
    .right = "the same number in both",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
