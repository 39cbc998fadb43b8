#include "roll_call/odd_nodes.h"

#include <algorithm>

namespace rollcall::roll_call {
namespace {

/// As CHS and DLRover have it: a node with more failed pairs than sound ones is the odd one.
constexpr double kOddShare = 0.5;
/// Peers beside those that stand out alike, without whom nothing tells a node from its paths.
constexpr int kLeastBeside = 2;

struct Count {
  int odd = 0;
  int all = 0;
  double share() const { return all == 0 ? 0 : static_cast<double>(odd) / all; }
};

/// The node's pairs with whoever is not in `without`.
Count count(const std::vector<int>& peers, int node, const std::set<NodePair>& odd, const std::vector<int>& without) {
  Count result;
  for (const int peer : peers) {
    if (std::find(without.begin(), without.end(), peer) != without.end()) continue;
    ++result.all;
    if (odd.count(std::minmax(node, peer)) > 0) ++result.odd;
  }
  return result;
}

}  // namespace

std::vector<int> take_odd_nodes(const std::vector<std::vector<int>>& peers, std::set<NodePair>& odd) {
  std::vector<int> named;
  if (peers.size() < static_cast<std::size_t>(kNodesToTell)) return named;
  const auto of = [&](int node, const std::vector<int>& without) {
    return count(peers[static_cast<std::size_t>(node)], node, odd, without);
  };
  while (!odd.empty()) {
    std::set<int> touched;
    for (const auto& [low, high] : odd) touched.insert({low, high});
    double most = kOddShare;
    std::vector<int> alike;
    for (const int node : touched) {
      const double share = of(node, named).share();
      if (share < most || share <= kOddShare) continue;
      if (share > most) alike.clear();
      most = share;
      alike.push_back(node);
    }
    std::vector<int> beside = named;
    beside.insert(beside.end(), alike.begin(), alike.end());
    const bool told = !alike.empty() && std::all_of(alike.begin(), alike.end(), [&](int node) {
      const Count rest = of(node, beside);
      return rest.all >= kLeastBeside && rest.share() > kOddShare;
    });
    if (!told) return named;
    named = beside;
    std::erase_if(odd, [&](const NodePair& pair) {
      return std::count(alike.begin(), alike.end(), pair.first) > 0 ||
             std::count(alike.begin(), alike.end(), pair.second) > 0;
    });
  }
  return named;
}

}  // namespace rollcall::roll_call
