#include <optional>
#include <string>

#include "launch/kinds/shape.h"
#include "launch/rules/launcher/family.h"

namespace rollcall::launch::rules {
namespace {

std::optional<int> number(const Command& command, const char* name) {
  const Flag* flag = command.flag(name);
  return flag != nullptr && flag->value.known() ? whole_number(flag->value.text) : std::nullopt;
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Command& command = role.command;
    if (!command.launcher.known() || *command.launcher != "srun" || command.starts == nullptr) continue;
    const Command& inner = *command.starts;
    if (!inner.launcher.known() || *inner.launcher != "torchrun") continue;
    const auto per_node = number(command, "--ntasks-per-node");
    const auto nodes = number(command, "--nodes");
    const auto waited = number(inner, "--nnodes");
    if (!per_node || !nodes || !waited || *per_node < 2) continue;
    const long long started = static_cast<long long>(*per_node) * *nodes;
    if (started <= *waited) continue;
    const Flag* flag = command.flag("--ntasks-per-node");
    judgement.add(launcher_srun_starts_launchers, flag->path)
        .wrong(
            "srun starts {} tasks on each of {} nodes, and each task is a torchrun with `{}`: {} launchers where {} "
            "are waited for.",
            *per_node, *nodes, inner.flag("--nnodes")->written(), started, *waited)
        .instead("Write --ntasks-per-node=1: torchrun starts the processes of its node by itself.");
  }
}

}  // namespace

const Rule launcher_srun_starts_launchers{
    .id = "launcher/srun-starts-launchers",
    .severity = Severity::deny,
    .title = "srun starts torchrun several times on each node",
    .why =
        "srun runs its command once for each task, and torchrun starts a process for each GPU. Together they start "
        "tasks times processes on a node: launchers of one node claim the same rank and port, and those above --nnodes "
        "are turned away.",
    .wrong = "srun -N 2 --ntasks-per-node=8 torchrun --nnodes=2 --nproc-per-node=8 train.py",
    .right = "srun -N 2 --ntasks-per-node=1 torchrun --nnodes=2 --nproc-per-node=8 train.py",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
