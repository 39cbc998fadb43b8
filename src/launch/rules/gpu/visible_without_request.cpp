#include <string>

#include "launch/rules/gpu/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    if (!role.container.present() || !role.gpus_per_pod.known() || *role.gpus_per_pod > 0) continue;
    const auto& launcher = role.command.launcher;
    if (!launcher.known() || *launcher == "mpirun") continue;
    for (const EnvEntry& entry : role.env) {
      const std::string& value = entry.value.text;
      if (entry.name != "NVIDIA_VISIBLE_DEVICES" || !entry.value.known()) continue;
      if (value.empty() || value == "none" || value == "void") continue;
      judgement.add(gpu_visible_without_request, entry.path)
          .wrong("NVIDIA_VISIBLE_DEVICES `{}` shows GPUs to a container that requests none.", value)
          .instead("Request them in resources.limits, and take the entry out.");
    }
  }
}

}  // namespace

const Rule gpu_visible_without_request{
    .id = "gpu/visible-without-request",
    .severity = Severity::warn,
    .title = "GPUs that come past the scheduler",
    .why =
        "NVIDIA_VISIBLE_DEVICES shows the node's GPUs to a container that asks for none. The scheduler does not know "
        "of it: another pod may own them, and both run into each other's memory.",
    .wrong = "NVIDIA_VISIBLE_DEVICES: all without nvidia.com/gpu",
    .right = "nvidia.com/gpu: 8 without NVIDIA_VISIBLE_DEVICES",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
