#include "roll_call/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "roll_call/blame_words.h"
#include "roll_call/odd_nodes.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// Findings about single pairs before the rest are only counted: a page of them helps nobody.
constexpr std::size_t kMaxPairs = 20;

using Pair = NodePair;

Pair pair_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

/// The sides of a split: by union of sound pairs. Empty unless there are exactly two, of at least two nodes each, all
/// pairs between them failed and none within.
std::vector<std::vector<int>> split(const MeshResult& mesh, const std::map<Pair, PairFailure>& failed) {
  const int n = mesh.roll->nnodes();
  std::vector<int> side(static_cast<std::size_t>(n), -1);
  int sides = 0;
  for (int start = 0; start < n; ++start) {
    if (side[static_cast<std::size_t>(start)] >= 0) continue;
    std::vector<int> todo{start};
    side[static_cast<std::size_t>(start)] = sides;
    while (!todo.empty()) {
      const int at = todo.back();
      todo.pop_back();
      for (const int peer : mesh.peers[static_cast<std::size_t>(at)]) {
        if (side[static_cast<std::size_t>(peer)] >= 0 || failed.count(pair_of(at, peer)) > 0) continue;
        side[static_cast<std::size_t>(peer)] = sides;
        todo.push_back(peer);
      }
    }
    ++sides;
  }
  if (sides != 2) return {};
  std::vector<std::vector<int>> result(2);
  for (int node = 0; node < n; ++node)
    result[static_cast<std::size_t>(side[static_cast<std::size_t>(node)])].push_back(node);
  if (result[0].size() < 2 || result[1].size() < 2) return {};
  const bool within = std::any_of(failed.begin(), failed.end(), [&](const auto& each) {
    return side[static_cast<std::size_t>(each.first.first)] == side[static_cast<std::size_t>(each.first.second)];
  });
  return within ? std::vector<std::vector<int>>{} : result;
}

}  // namespace

std::vector<api::NodeFinding> blame(const MeshResult& mesh) {
  const int n = mesh.roll->nnodes();
  std::map<Pair, PairFailure> failed;
  for (const FailedEdge& each : mesh.failed) {
    PairFailure& pair = failed[pair_of(each.from, each.edge.to)];
    (each.from < each.edge.to ? pair.up : pair.down) = each.edge;
  }
  std::vector<api::NodeFinding> findings;
  if (failed.empty()) return findings;

  std::set<int> touched;
  for (const auto& [pair, failure] : failed) touched.insert({pair.first, pair.second});
  const std::size_t sound = static_cast<std::size_t>(n) - touched.size();

  if (n >= kNodesToTell) {
    const auto sides = split(mesh, failed);
    if (!sides.empty()) {
      findings.push_back(partition_finding(mesh, sides, failed.begin()->second));
      return findings;
    }
    std::size_t tried = 0;
    for (const auto& peers : mesh.peers) tried += peers.size();
    if (failed.size() == tried / 2) {
      findings.push_back(every_pair_finding(mesh, failed.size(), failed.begin()->second));
      return findings;
    }
    std::set<Pair> odd;
    for (const auto& [pair, failure] : failed) odd.insert(pair);
    for (const int node : take_odd_nodes(mesh.peers, odd)) {
      std::vector<NodeFailure> own;
      for (auto at = failed.begin(); at != failed.end();) {
        const auto& [low, high] = at->first;
        if (low != node && high != node) {
          ++at;
          continue;
        }
        // From the blamed node's point of view: `in` is what others could not open to it.
        own.push_back(low == node ? NodeFailure{high, at->second.down, at->second.up}
                                  : NodeFailure{low, at->second.up, at->second.down});
        at = failed.erase(at);
      }
      findings.push_back(node_finding(mesh, node, own));
    }
  }

  std::size_t named = 0;
  for (const auto& [pair, failure] : failed) {
    if (named++ == kMaxPairs) {
      api::NodeFinding rest{"mesh/more-pairs",
                            "fail",
                            fmt::format("{} more pairs of nodes failed in the mesh", failed.size() - kMaxPairs),
                            {},
                            "network"};
      findings.push_back(std::move(rest));
      break;
    }
    findings.push_back(pair_finding(mesh, pair.first, pair.second, failure, sound));
  }
  return findings;
}

}  // namespace rollcall::roll_call
