#pragma once

#include <string>
#include <vector>

#include "roll_call/roll.h"

/// Bandwidth within the nodes, each against the others. There is no universal number: below 0.85 of the median warns,
/// below 0.5 again and again fails (fabrics, "Decisions that follow").
namespace rollcall::roll_call {

inline constexpr double kWarnShare = 0.85;
inline constexpr double kFailShare = 0.5;
/// Of two nodes neither is the usual one.
inline constexpr std::size_t kNodesToCompare = 3;

struct NodeBandwidth {
  const Pod* pod = nullptr;
  double gbytes = 0;  ///< GB/s bus bandwidth
};
/// Of the first measurement of this round; nodes that measured none are left out.
std::vector<NodeBandwidth> node_bandwidths(const Roll& roll);

/// Judges what was measured last, adds findings, and returns the nodes to measure again: those below half of the median
/// so far. Call it after each measurement (memory.measured counts them). With a partial environment it only warns.
std::vector<int> slow_nodes(Roll& roll, const std::string& partial);

}  // namespace rollcall::roll_call
