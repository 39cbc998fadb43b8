#pragma once

#include <vector>

/// Who connects to whom in the mesh. Pure arithmetic over node ranks.
namespace rollcall::roll_call {

/// Above this many nodes a sample of the pairs is tried: 1,000 nodes would be 999,000 connections.
inline constexpr int kFullMeshNodes = 512;

/// Peers of `node` in the order to try them: the circle method (round r pairs everyone with one partner), so that at
/// any moment the connects in flight are spread and no node is a hot spot. Up to kFullMeshNodes all others; above, the
/// ring neighbours, 2 log2 n partners spread over the circle's rounds, and node rank 0 with everyone (rendezvous and
/// NCCL's bootstrap root). The relation is symmetric: a is in peers_of(b) when b is in peers_of(a).
std::vector<int> peers_of(int node, int nnodes);

/// Ordered pairs that are tried, and all there are.
struct Coverage {
  long tried = 0;
  long all = 0;
};
Coverage coverage(int nnodes);

}  // namespace rollcall::roll_call
