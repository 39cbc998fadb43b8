#include "launch/rules/catalogue.h"

namespace rollcall::launch::rules {
namespace {

/// c10d and etcd give out ranks by themselves and pass the flag over.
bool is_static(const Role& role) {
  const Flag* backend = role.command.flag("--rdzv-backend");
  return backend == nullptr || (backend->value.known() && backend->value.text == "static");
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Flag* flag = role.command.flag("--node-rank");
    if (flag == nullptr || !flag->value.known() || !role.nodes.known() || *role.nodes < 2 || !is_static(role)) continue;
    judgement.add(torchrun_constant_node_rank, flag->path)
        .wrong("`{}` makes each of the {} pods node rank {}.", flag->written(), *role.nodes, flag->value.text)
        .instead("Leave the flag out: the operator hands each pod its own PET_NODE_RANK.")
        .patch(flag->patch);
  }
}

}  // namespace

const Rule torchrun_constant_node_rank{
    .id = "torchrun/constant-node-rank",
    .severity = Severity::deny,
    .title = "the same node rank in every pod",
    .why =
        "Every pod runs the same command. With one node rank in it all pods claim to be that node: the others never "
        "appear, and the launchers wait for them.",
    .wrong = "torchrun --node-rank=0 with nnodes: 4",
    .right = "torchrun train.py with nnodes: 4",
    .check = check,
};

}  // namespace rollcall::launch::rules
