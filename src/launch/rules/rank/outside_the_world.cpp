#include "launch/kinds/shape.h"
#include "launch/rules/rank/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    const bool handed_out = told.rendezvous.given() && (!told.rendezvous.known() || *told.rendezvous != "static");
    if (handed_out || !told.node_rank.known() || !told.nodes.known() || role.command.flag("--standalone") != nullptr)
      continue;
    const auto rank = whole_number(*told.node_rank);
    if (!rank || *told.nodes < 1 || *rank < *told.nodes) continue;
    judgement.add(rank_outside_the_world, told.node_rank.path())
        .wrong("rank {} of {}: ranks are counted from 0, so the last is {}.", *rank, *told.nodes, *told.nodes - 1)
        .instead("Write 0 to {}, each in one pod.", *told.nodes - 1);
  }
}

}  // namespace

const Rule rank_outside_the_world{
    .id = "rank/outside-the-world",
    .severity = Severity::deny,
    .title = "a rank that the world does not have",
    .why =
        "Ranks are counted from 0: in a world of N the last one is N-1. A node beyond it is refused, and the one whose "
        "place it should have never comes.",
    .wrong = "--node-rank=2 with --nnodes=2",
    .right = "--node-rank=1 with --nnodes=2",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
