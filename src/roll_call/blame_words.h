#pragma once

#include <optional>
#include <vector>

#include "roll_call/blame.h"

/// The sentences of the mesh's findings.
namespace rollcall::roll_call {

/// How a pair failed: `up` from the lower node rank to the higher, `down` the other way; nullopt = that way works.
struct PairFailure {
  std::optional<Edge> up;
  std::optional<Edge> down;
};

/// A failed pair seen from one node.
struct NodeFailure {
  int peer = 0;
  std::optional<Edge> in;   ///< the peer's connection to the node
  std::optional<Edge> out;  ///< the node's to the peer
};

api::NodeFinding pair_finding(const MeshResult& mesh, int low, int high, const PairFailure& failure,
                              std::size_t sound_nodes);
api::NodeFinding node_finding(const MeshResult& mesh, int node, const std::vector<NodeFailure>& failures);
api::NodeFinding partition_finding(const MeshResult& mesh, const std::vector<std::vector<int>>& sides,
                                   const PairFailure& example);
api::NodeFinding every_pair_finding(const MeshResult& mesh, std::size_t pairs, const PairFailure& example);

}  // namespace rollcall::roll_call
