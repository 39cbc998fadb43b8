#include "launch/patch.h"
#include "launch/rules/gpu/family.h"
#include "launch/rules/gpu/visible.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    for (const auto& [entry, seen] : visible_devices(role)) {
      if (seen >= *role.gpus_per_pod || judgement.denied(entry->value_path)) continue;
      // Fewer processes than devices: that is said of the number of processes.
      if (role.processes_per_node.known() && *role.processes_per_node < *role.gpus_per_pod &&
          *role.processes_per_node == seen)
        continue;
      judgement.add(gpu_visible_devices_idle, entry->value_path)
          .wrong("env {} shows {} of the {} devices that the pod asks for.", entry->name, seen, *role.gpus_per_pod)
          .instead("Take the entry out, or ask for {}.", seen)
          .patch(remove_patch(entry->path));
    }
  }
}

}  // namespace

const Rule gpu_visible_devices_idle{
    .id = "gpu/visible-devices-idle",
    .severity = Severity::warn,
    .title = "devices that no process may see",
    .why = "The devices that the variable leaves out are reserved and idle for the whole run.",
    .wrong = "CUDA_VISIBLE_DEVICES: \"0\" with nvidia.com/gpu: 4",
    .right = "CUDA_VISIBLE_DEVICES: \"0\" with nvidia.com/gpu: 1",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
