#include <string>

#include "launch/rules/gpu/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Flag* flag = role.command.flag("--nproc-per-node");
    if (!role.command.by_torchrun() || flag == nullptr) continue;
    if (!flag->value.known() || (flag->value.text != "auto" && flag->value.text != "cpu")) continue;
    const Field cpus = role.container["resources"]["limits"]["cpu"];
    if (!role.gpus_per_pod.known() || *role.gpus_per_pod > 0 || !cpus.present()) continue;
    if (role.container["securityContext"]["privileged"].present() || role.container["envFrom"].present()) continue;
    const std::string limit = cpus.is_string() ? cpus.text() : cpus.json().dump();
    judgement.add(gpu_processes_by_cpus, flag->path)
        .wrong("`{}` counts the node's CPUs; the container may use {}.", flag->written(), limit)
        .instead("Write the number of processes.");
  }
}

}  // namespace

const Rule gpu_processes_by_cpus{
    .id = "gpu/processes-by-cpus",
    .severity = Severity::warn,
    .title = "a process for each CPU of the node",
    .why =
        "Without accelerators torchrun's auto counts the CPUs of the node, not the limit of the container: many more "
        "processes than CPUs, which are throttled or run out of memory.",
    .wrong = "torchrun --nproc-per-node=auto with limits: {cpu: 2}",
    .right = "torchrun --nproc-per-node=2 with limits: {cpu: 2}",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
