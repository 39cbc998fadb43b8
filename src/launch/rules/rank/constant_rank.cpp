#include "launch/rules/rank/family.h"
#include "launch/rules/rank/own_rank.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    // torchrun has a rule of its own; c10d gives out ranks by itself.
    const bool own = role.command.by_torchrun();
    const bool handed_out = told.rendezvous.given() && (!told.rendezvous.known() || *told.rendezvous != "static");
    if (own || handed_out || !told.node_rank.known() || !several(role) || !role.asks_for_many()) continue;
    judgement.add(rank_constant_rank, told.node_rank.path())
        .wrong("each of the {} pods is told that it is `{}` of {}.", *role.pods, *told.node_rank, *told.nodes)
        .instead("{}", launch.rank_advice)
        .patch(own_rank_patch(launch, role));
  }
}

}  // namespace

const Rule rank_constant_rank{
    .id = "rank/constant-rank",
    .severity = Severity::deny,
    .title = "the same rank in every pod",
    .why =
        "Every pod of the template runs with the same environment and command. With one rank in it all pods claim to "
        "be that one: the others never appear, and the group waits for them until its deadline.",
    .wrong = "accelerate launch --machine_rank 0 in an Indexed Job of two pods",
    .right = "accelerate launch --machine_rank $(JOB_COMPLETION_INDEX)",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
