#include "launch/rules/torchrun/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// Pods side by side may each be meant to train alone; told of several nodes, they are not.
void check_others(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Flag* flag = role.command.flag("--standalone");
    if (flag == nullptr || !role.command.by_torchrun()) continue;
    if (!flag->value.known() || !several(role)) continue;
    judgement.add(torchrun_standalone_with_several_nodes, flag->path)
        .wrong("`--standalone` makes each pod train alone, although {} nodes are asked for.", *role.told.nodes)
        .instead("Leave the flag out, and give the address of node rank 0.");
  }
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind != JobKind::training_job) return check_others(launch, judgement);
  for (const Role& role : launch.roles) {
    const Flag* flag = role.command.flag("--standalone");
    if (flag == nullptr || !flag->value.known() || !role.nodes.known() || *role.nodes < 2) continue;
    judgement.add(torchrun_standalone_with_several_nodes, flag->path)
        .wrong("`--standalone` makes each of the {} pods train alone.", *role.nodes)
        .instead("Leave the flag out: the operator hands over the rendezvous of all nodes.")
        .patch(flag->patch);
  }
}

}  // namespace

const Rule torchrun_standalone_with_several_nodes{
    .id = "torchrun/standalone-with-several-nodes",
    .severity = Severity::deny,
    .title = "torchrun --standalone with several nodes",
    .why =
        "--standalone is a rendezvous of the node with itself and replaces every other setting: each pod trains alone "
        "in a world of its own, and nothing says so.",
    .wrong = "torchrun --standalone with nnodes: 4",
    .right = "torchrun train.py with nnodes: 4",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
