#pragma once

#include <string>
#include <vector>

#include "roll_call/roll.h"

/// The parts of a Report, a file each. Private to report/.
namespace rollcall::roll_call::report_parts {

/// Above so many nodes there is no matrix: 64 x 64 entries of 5 bytes are 20 KiB, and nobody reads a larger one.
inline constexpr int kMatrixNodes = 64;
/// Exceptions listed: 500 at 200 bytes are 100 KiB.
inline constexpr std::size_t kMaxPairs = 500;
inline constexpr std::size_t kMaxPairText = 96;

/// By node rank, a row of the mesh each; empty above kMatrixNodes, or while no mesh was made.
std::vector<std::string> matrix(const Roll& roll);
/// Pairs that failed, then pair collectives, then pairs that were slow or lost packets.
std::vector<api::ReportPair> pairs(const Roll& roll);
/// Values that nodes should share, the most frequent first in each; others are marked as minorities.
std::vector<api::ReportGroup> groups(const Roll& roll);
std::vector<api::ReportMoment> timeline(const Roll& roll);

/// "8 x NVIDIA H100 80GB HBM3", of one node; empty = CUDA showed none.
std::string gpus_of(const Pod& pod);
/// "rdma by IB", of one node's ranks; empty = no collective said it.
std::string transport_of(const Pod& pod);

}  // namespace rollcall::roll_call::report_parts
