#include "roll_call/schedule.h"

#include <algorithm>
#include <cmath>

namespace rollcall::roll_call {
namespace {

/// Partner of `node` in round `round` of the circle method over an even number of seats; the last seat stands still.
int partner(int node, int round, int seats) {
  const int turning = seats - 1;
  const int fixed = seats - 1;
  if (node == fixed) {
    // It meets the m with 2m = round (mod turning); turning is odd, so half of it is (turning + 1) / 2.
    return static_cast<int>(static_cast<long>(round) * ((turning + 1) / 2) % turning);
  }
  const int other = ((round - node) % turning + turning) % turning;
  return other == node ? fixed : other;
}

}  // namespace

std::vector<int> peers_of(int node, int nnodes) {
  std::vector<int> peers;
  if (nnodes < 2) return peers;
  const int seats = nnodes + nnodes % 2;  // an odd number gets an empty seat: whoever meets it has a pause
  const int rounds = seats - 1;
  const bool full = nnodes <= kFullMeshNodes;
  const int wanted = full ? rounds : 2 * static_cast<int>(std::ceil(std::log2(nnodes)));
  for (int i = 0; i < wanted; ++i) {
    // Evenly spread rounds: neighbouring ones would pair neighbouring racks over and over.
    const int round = full ? i : static_cast<int>(static_cast<long>(i) * rounds / wanted);
    const int other = partner(node, round, seats);
    if (other < nnodes) peers.push_back(other);
  }
  if (full) return peers;

  const auto add = [&](int other) {
    if (other != node && std::find(peers.begin(), peers.end(), other) == peers.end()) peers.push_back(other);
  };
  add((node + 1) % nnodes);
  add((node + nnodes - 1) % nnodes);
  if (node != 0) {
    add(0);
  } else {
    std::vector<bool> known(static_cast<std::size_t>(nnodes), false);
    for (const int peer : peers) known[static_cast<std::size_t>(peer)] = true;
    for (int other = 1; other < nnodes; ++other) {
      if (!known[static_cast<std::size_t>(other)]) peers.push_back(other);
    }
  }
  return peers;
}

Coverage coverage(int nnodes) {
  Coverage result{0, static_cast<long>(nnodes) * (nnodes - 1)};
  if (nnodes <= kFullMeshNodes) {
    result.tried = result.all;
    return result;
  }
  for (int node = 0; node < nnodes; ++node) result.tried += static_cast<long>(peers_of(node, nnodes).size());
  return result;
}

}  // namespace rollcall::roll_call
