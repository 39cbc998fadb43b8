#include <string>

#include "launch/kinds/train_job/given.h"
#include "launch/kinds/train_job/policy.h"
#include "launch/patch.h"
#include "launch/rules/trainer/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field policy = train_job::policy_of(launch);
  const Field own = launch.root["spec"]["trainer"];
  if (!own.is_object() || own["numProcPerNode"].present()) return;
  if (train_job::framework_of(policy) != train_job::Framework::torch || policy["torch"]["numProcPerNode"].present())
    return;
  for (const Role& role : launch.roles) {
    if (!role.command.by_torchrun()) continue;
    if (role.command.flag("--nproc-per-node") != nullptr || !role.gpus_per_pod.known() || *role.gpus_per_pod < 1)
      continue;
    const Fact<int> counted = train_job::gpus_counted(launch.root, role.container);
    if (!counted.known() || *counted != 0) continue;
    const Field resources = own["resourcesPerNode"];
    const bool elsewhere = resources.is_object() && role.gpu_resource.find("gpu") != std::string::npos;
    auto words = judgement.add(trainer_gpus_not_counted, resources.path());
    if (elsewhere) {
      words.wrong(
          "resourcesPerNode names no GPU, so the controller starts a process for each CPU in it; the {} {} come from "
          "the runtime, and it does not count them.",
          *role.gpus_per_pod, role.gpu_resource);
    } else {
      words.wrong("the controller counts no {}, and starts a process for each CPU instead of each of the {}.",
                  role.gpu_resource, *role.gpus_per_pod);
    }
    words.instead("Write spec.trainer.numProcPerNode: {}.", *role.gpus_per_pod)
        .patch(add_patch(own["numProcPerNode"].path(), *role.gpus_per_pod));
  }
}

}  // namespace

const Rule trainer_gpus_not_counted{
    .id = "trainer/gpus-not-counted",
    .severity = Severity::warn,
    .title = "GPUs that the TrainJob controller does not count",
    .why =
        "Without numProcPerNode the controller counts the GPUs of spec.trainer.resourcesPerNode, where that is "
        "written, "
        "and of the runtime else; it takes any resource with `gpu` in its name for one. Where it finds none it starts "
        "a "
        "process for each CPU: too many for the devices, or one for all of them.",
    .wrong = "resourcesPerNode: {limits: {memory: 64Gi}} over a runtime with nvidia.com/gpu: 4",
    .right = "numProcPerNode: 4 beside it",
    .check = check,
    .kinds = {JobKind::train_job},
};

}  // namespace rollcall::launch::rules
