#include <set>

#include "launch/kinds/shape.h"
#include "launch/patch.h"
#include "launch/rules/gpu/family.h"
#include "launch/rules/gpu/visible.h"

namespace rollcall::launch::rules {
namespace {

/// accelerate makes CUDA_VISIBLE_DEVICES of its flag.
void check_flag(const Role& role, Judgement& judgement) {
  const auto& launcher = role.command.launcher;
  const Flag* flag = role.command.flag("--gpu-ids");
  if (!launcher.known() || *launcher != "accelerate" || flag == nullptr || !flag->value.known()) return;
  const auto numbers = device_numbers(flag->value.text);
  if (!numbers || !role.processes_per_node.known()) return;
  const int seen = static_cast<int>(std::set<int>(numbers->begin(), numbers->end()).size());
  if (*role.processes_per_node <= seen) return;
  judgement.add(gpu_more_processes_than_visible, flag->path)
      .wrong("{} processes are started in each pod, but `{}` shows them {} devices.", *role.processes_per_node,
             flag->written(), seen)
      .instead("Leave the flag out: a container sees its own devices alone.")
      .patch(flag->patch);
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) check_flag(role, judgement);
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    const bool accelerate = launcher.known() && *launcher == "accelerate";
    if ((!role.command.by_torchrun() && !accelerate) || !role.processes_per_node.known()) continue;
    // `auto` and `gpu` count what they see.
    const Flag* flag = role.command.flag("--nproc-per-node");
    if (flag != nullptr && flag->value.known() && !whole_number(flag->value.text)) continue;
    if (flag == nullptr && !accelerate) continue;
    for (const auto& [entry, seen] : visible_devices(role)) {
      if (*role.processes_per_node <= seen) continue;
      judgement.add(gpu_more_processes_than_visible, entry->value_path)
          .wrong("{} processes are started, but env {} shows them {} of the {} devices.", *role.processes_per_node,
                 entry->name, seen, *role.gpus_per_pod)
          .instead("Take the entry out: a container sees its own devices alone.")
          .patch(remove_patch(entry->path));
    }
  }
}

}  // namespace

const Rule gpu_more_processes_than_visible{
    .id = "gpu/more-processes-than-visible",
    .severity = Severity::deny,
    .title = "more processes than devices they may see",
    .why =
        "The variable hides the other devices from every process of the pod. Local ranks beyond those that are left "
        "fail with an invalid device ordinal, while the other nodes wait.",
    .wrong = "CUDA_VISIBLE_DEVICES: \"0,1\" with torchrun --nproc-per-node=4",
    .right = "no CUDA_VISIBLE_DEVICES",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
