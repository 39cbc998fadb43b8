#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "roll_call/report/parts.h"

namespace rollcall::roll_call::report_parts {
namespace {

/// As the mesh's warnings have them, which are what judges; here pairs are only shown. A pair is slow at five times the
/// median and 2 ms beyond it: most pairs of a sound mesh are within twice the median, and less is a busy core.
constexpr double kSlowTimes = 5;
constexpr double kSlowMore = 2;
/// Below 2 MB each way a lost packet says nothing (1,400 segments).
constexpr std::int64_t kLossBytes = 2'000'000;
constexpr double kSegment = 1448;
/// One segment in 200 sent again; TCP itself sends a few again on a sound network.
constexpr double kLossShare = 0.005;

bool is_node(const Roll& roll, int rank) { return rank >= 0 && rank < roll.nnodes(); }

double tenths(double milliseconds) { return std::round(std::clamp(milliseconds, 0.0, 1e6) * 10) / 10; }

double median_of_mesh(const Roll& roll) {
  std::vector<double> all;
  for (const Pod& pod : roll.pods) {
    if (!pod.mesh) continue;
    for (const auto& time : pod.mesh->times) all.push_back(time.milliseconds);
  }
  if (all.empty()) return 0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

double loss_of(const PeerTime& time) {
  if (time.bytes < kLossBytes) return 0;
  return time.retransmits / (static_cast<double>(time.bytes) / kSegment);
}

api::ReportPair failed_pair(int from, const Edge& edge) {
  api::ReportPair pair{from, edge.to, std::string(to_string(edge.outcome)), tenths(edge.milliseconds), 0, ""};
  if (edge.tried > 0)
    pair.text = edge.tried == edge.failed ? fmt::format("all {} ports tried", edge.tried)
                                          : fmt::format("{} of {} ports tried", edge.failed, edge.tried);
  if (!edge.detail.empty()) {
    if (!pair.text.empty()) pair.text += ": ";
    pair.text += edge.detail;
  }
  pair.text = clipped(pair.text, kMaxPairText);
  return pair;
}

}  // namespace

std::vector<std::string> matrix(const Roll& roll) {
  const bool any = std::any_of(roll.pods.begin(), roll.pods.end(), [](const Pod& pod) {
    return pod.mesh && (!pod.mesh->times.empty() || !pod.mesh->failed.empty());
  });
  if (!any || roll.nnodes() > kMatrixNodes) return {};
  std::vector<std::string> rows;
  for (const Pod& pod : roll.pods) {
    std::vector<std::string> cells(roll.pods.size());
    if (pod.mesh) {
      for (const auto& time : pod.mesh->times) {
        if (is_node(roll, time.to))
          cells[static_cast<std::size_t>(time.to)] = fmt::format("{}", tenths(time.milliseconds));
      }
      for (const auto& edge : pod.mesh->failed) {
        if (is_node(roll, edge.to) && edge.outcome != EdgeOutcome::Ok)
          cells[static_cast<std::size_t>(edge.to)].assign(1, 'x');
      }
    }
    cells[static_cast<std::size_t>(pod.node_rank)].clear();
    std::string row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) row += ',';
      row += cells[i];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<api::ReportPair> pairs(const Roll& roll) {
  std::vector<api::ReportPair> out;
  const auto room = [&] { return out.size() < kMaxPairs; };
  for (const Pod& pod : roll.pods) {
    if (!pod.mesh) continue;
    for (const auto& edge : pod.mesh->failed) {
      if (room() && is_node(roll, edge.to) && edge.outcome != EdgeOutcome::Ok)
        out.push_back(failed_pair(pod.node_rank, edge));
    }
  }
  for (const auto& pair : roll.pairs) {
    if (!room()) break;
    out.push_back(pair);
    out.back().text = clipped(pair.text, kMaxPairText);
  }
  const double median = median_of_mesh(roll);
  for (const Pod& pod : roll.pods) {
    if (!pod.mesh) continue;
    for (const auto& time : pod.mesh->times) {
      if (!room() || !is_node(roll, time.to)) continue;
      const double loss = loss_of(time);
      const bool slow = time.milliseconds > median * kSlowTimes && time.milliseconds > median + kSlowMore;
      if (loss < kLossShare && !slow) continue;
      out.push_back({pod.node_rank, time.to, loss >= kLossShare ? "Lossy" : "Slow", tenths(time.milliseconds), 0,
                     loss >= kLossShare ? fmt::format("{:.1f} % of segments sent again, {:.1f} MB moved", loss * 100,
                                                      static_cast<double>(time.bytes) / 1e6)
                                        : fmt::format("the median is {:.1f} ms", median)});
    }
  }
  return out;
}

}  // namespace rollcall::roll_call::report_parts
