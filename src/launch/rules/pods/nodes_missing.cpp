#include <set>
#include <string>

#include "launch/kinds/context.h"
#include "launch/kinds/node_pods.h"
#include "launch/rules/pods/family.h"

namespace rollcall::launch::rules {
namespace {

/// `1, 3 and 5 more`.
std::string shown(const std::set<int>& missing) {
  std::string text;
  std::size_t told = 0;
  for (const int rank : missing) {
    if (told == 4) break;
    text += (told++ == 0 ? "" : ", ") + std::to_string(rank);
  }
  return missing.size() > told ? text + " and " + std::to_string(missing.size() - told) + " more" : text;
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.around == nullptr) return;
  const auto world = launch.around->node_pods().world_of(launch);
  // A pod by itself may be one of several files; several together are meant to be the job. The first is told of.
  if (world.size() < 2 || world.front()->name != launch.object.name) return;
  const int nodes = world.front()->nodes;
  if (static_cast<std::size_t>(nodes) <= world.size() || nodes > 1000) return;
  std::set<int> missing;
  for (int rank = 0; rank < nodes; ++rank) missing.insert(rank);
  for (const NodePod* pod : world) missing.erase(pod->node_rank);
  judgement.add(pods_nodes_missing, launch.roles[0].told.nodes.path())
      .wrong("{} nodes are waited for, and the input has {} pods that meet at `{}`: node rank {} is not here.", nodes,
             world.size(), world.front()->master, shown(missing))
      .instead("Add the pods, or write the number of nodes that there are.");
}

}  // namespace

const Rule pods_nodes_missing{
    .id = "pods/nodes-missing",
    .severity = Severity::warn,
    .title = "fewer pods than the nodes they wait for",
    .why =
        "Launchers wait for as many nodes as they are told of. Where a pod is missing the others hold their GPUs and "
        "wait for it until their deadline.",
    .wrong = "two Pods with --nnodes=4",
    .right = "two Pods with --nnodes=2",
    .check = check,
    .kinds = {JobKind::pod},
};

}  // namespace rollcall::launch::rules
