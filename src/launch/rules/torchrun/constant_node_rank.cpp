#include "launch/rules/rank/own_rank.h"
#include "launch/rules/torchrun/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// c10d and etcd give out ranks by themselves and pass the flag over.
bool is_static(const Role& role) {
  const Flag* backend = role.command.flag("--rdzv-backend");
  return backend == nullptr || (backend->value.known() && backend->value.text == "static");
}

/// Where nobody but the manifest gives ranks, or a controller's give way to the flag.
void check_others(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!role.command.by_torchrun() || role.command.flag("--standalone")) continue;
    if (!told.node_rank.known() || !told.rendezvous.known() || *told.rendezvous != "static") continue;
    if (!several(role) || !role.asks_for_many()) continue;
    const Flag* flag = role.command.flag("--node-rank");
    judgement.add(torchrun_constant_node_rank, told.node_rank.path())
        .wrong("each of the {} pods is made node rank {}.", *role.pods, *told.node_rank)
        .instead("{}", launch.rank_advice)
        .patch(launch.kind == JobKind::pytorch_job && flag != nullptr ? flag->patch : own_rank_patch(launch, role));
  }
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind != JobKind::training_job) return check_others(launch, judgement);
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
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
