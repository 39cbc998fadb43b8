#pragma once

#include <vector>

#include "roll_call/blame.h"

namespace rollcall::roll_call {

/// Paths that work, but are not as the job's others: warnings only, since training runs over them, at their pace. Pure.
/// - far: a pair's round trip is 5 times the median of all pairs (of three pairs: the shortest) and 2 ms above it. The
/// least of many samples counts, from
///   either side, so a busy node does not look far away. With two nodes there is nothing to compare with.
/// - lossy: 0.5 % of the segments of 2 MB or more were sent again, by direction.
/// - slow: 2 MB did not come through within the probe's 5 s, though 64 KiB did.
/// With 4 nodes or more a node with more than half of its pairs so is named instead of them.
std::vector<api::NodeFinding> slow_and_lossy(const MeshResult& mesh);

}  // namespace rollcall::roll_call
