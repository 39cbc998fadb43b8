#include "launch/rules/catalogue.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
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
};

}  // namespace rollcall::launch::rules
