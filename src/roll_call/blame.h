#pragma once

#include <vector>

#include "roll_call/roll.h"

/// Whom failed connections point to. Pure: edges in, findings out.
namespace rollcall::roll_call {

struct FailedEdge {
  int from = 0;
  Edge edge;
};

/// What the mesh tried and what failed.
struct MeshResult {
  const Roll* roll = nullptr;
  std::vector<std::vector<int>> peers;  ///< tried, by node rank (symmetric)
  std::vector<FailedEdge> failed;
  bool rendezvous_works = false;  ///< MASTER_PORT was reached from every node
};

/// Rules, the first that explains a failed pair wins:
/// 1. two groups with every pair within them sound and none between them → partition, both sides listed (4 nodes or
/// more);
/// 2. no pair works → nobody is named (4 nodes or more);
/// 3. more than half of a node's pairs failed → that node, as odd_nodes.h tells (4 nodes or more; with fewer a node and
/// a path can't be told apart);
/// 4. else the pair, with the direction.
std::vector<api::NodeFinding> blame(const MeshResult& mesh);

}  // namespace rollcall::roll_call
