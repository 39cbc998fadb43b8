#include "launch/kinds/context.h"
#include "launch/kinds/node_pods.h"
#include "launch/rules/pods/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (launch.around == nullptr) return;
  const AsNode own = as_node(launch);
  for (const NodePod* other : launch.around->node_pods().world_of(launch)) {
    // Of two the later one is told of.
    if (other->name == own.pod.name) return;
    if (other->node_rank != own.pod.node_rank) continue;
    judgement.add(pods_same_node_rank, launch.roles[0].told.node_rank.path())
        .wrong("node rank {} is that of pod `{}` already, which meets at `{}` too.", own.pod.node_rank, other->name,
               own.pod.master)
        .instead("Write each pod a node rank of its own, from 0 to {}.", own.pod.nodes - 1);
    return;
  }
}

}  // namespace

const Rule pods_same_node_rank{
    .id = "pods/same-node-rank",
    .severity = Severity::deny,
    .title = "two pods of one world with the same node rank",
    .why =
        "Each node rank is one pod. Two that claim the same one leave another unclaimed: the launchers wait for it "
        "until "
        "their deadline.",
    .wrong = "--node-rank=0 in both of two Pods with --nnodes=2",
    .right = "--node-rank=0 in one, --node-rank=1 in the other",
    .check = check,
    .kinds = {JobKind::pod},
};

}  // namespace rollcall::launch::rules
