#pragma once

#include <set>
#include <utility>
#include <vector>

/// Which nodes stand out when pairs of them do. Pure.
namespace rollcall::roll_call {

/// Lower node rank first.
using NodePair = std::pair<int, int>;

/// Fewest nodes with which a node can be told from a path.
inline constexpr int kNodesToTell = 4;

/// Nodes most of whose pairs are in `odd`, worst first; the pairs of each are taken out of `odd` and no longer counted
/// for the others. Nodes that stand out alike are named together or not at all, whatever their order: each must be odd
/// with most of the nodes beside them, at least two, else what they share may as well lie in the paths. `peers`: by
/// node rank, the nodes each was tried with (symmetric). Empty with fewer than kNodesToTell nodes.
std::vector<int> take_odd_nodes(const std::vector<std::vector<int>>& peers, std::set<NodePair>& odd);

}  // namespace rollcall::roll_call
