#include <algorithm>

#include "launch/rules/command_text.h"
#include "launch/rules/gpu/family.h"

namespace rollcall::launch::rules {
namespace {

/// Devices that come into the container past the scheduler.
bool may_see_others(const Role& role) {
  const auto& env = role.env;
  // NVIDIA's runtime hands every GPU of the node to an image that says NVIDIA_VISIBLE_DEVICES=all, as its own do.
  if (role.pod_template["spec"]["runtimeClassName"].present() || asks_for_a_device(role.container)) return true;
  return role.container["envFrom"].present() || role.container["securityContext"]["privileged"].present() ||
         std::any_of(env.begin(), env.end(),
                     [](const EnvEntry& entry) { return entry.name == "NVIDIA_VISIBLE_DEVICES"; });
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Flag* flag = role.command.flag("--nproc-per-node");
    if (!role.command.by_torchrun() || flag == nullptr) continue;
    if (!flag->value.known() || flag->value.text != "gpu" || !role.gpus_per_pod.known() || *role.gpus_per_pod > 0)
      continue;
    if (may_see_others(role)) continue;
    judgement.add(gpu_counted_without_gpus, flag->path)
        .wrong("`{}` starts a process for each GPU, but the container asks for none.", flag->written())
        .instead("Request GPUs in resources.limits, or write the number of processes.");
  }
}

}  // namespace

const Rule gpu_counted_without_gpus{
    .id = "gpu/counted-without-gpus",
    .severity = Severity::deny,
    .title = "a process for each GPU of a container without GPUs",
    .why =
        "torchrun counts the CUDA devices it sees and finds none: it ends before the rendezvous, and so does every "
        "restart.",
    .wrong = "torchrun --nproc-per-node=gpu without nvidia.com/gpu",
    .right = "torchrun --nproc-per-node=gpu with nvidia.com/gpu: 8",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
