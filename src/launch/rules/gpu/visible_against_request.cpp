#include <string>

#include "launch/patch.h"
#include "launch/rules/gpu/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    if (!role.gpus_per_pod.known() || *role.gpus_per_pod < 1 || !role.gpu_resource.starts_with("nvidia.com/")) continue;
    for (const EnvEntry& entry : role.env) {
      if (entry.name != "NVIDIA_VISIBLE_DEVICES" || !entry.value.known()) continue;
      const std::string& value = entry.value.text;
      const bool none = value.empty() || value == "none" || value == "void";
      judgement.add(gpu_visible_against_request, entry.path)
          .wrong("NVIDIA_VISIBLE_DEVICES `{}` {}, whatever the {} asked for are.", value,
                 none ? "shows the container no GPU" : "shows the container GPUs of the node by its own",
                 *role.gpus_per_pod)
          .instead("Take the entry out: the device plugin sets it.")
          .patch(remove_patch(entry.path));
    }
  }
}

}  // namespace

const Rule gpu_visible_against_request{
    .id = "gpu/visible-against-request",
    .severity = Severity::warn,
    .title = "a variable that takes the place of the devices asked for",
    .why =
        "The device plugin tells the runtime by NVIDIA_VISIBLE_DEVICES which GPUs the container gets, and the "
        "manifest's own entry comes after it. The container then sees GPUs that other pods own, or none.",
    .wrong = "NVIDIA_VISIBLE_DEVICES: all with nvidia.com/gpu: 2",
    .right = "nvidia.com/gpu: 2 alone",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
