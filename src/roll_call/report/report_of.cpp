#include "roll_call/report/report_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "roll_call/report/parts.h"

namespace rollcall::roll_call {
namespace {

/// With the rest at its longest the status stays under 512 KiB. Names are up to 253 bytes; those of clouds have 60, so
/// that 2,500 nodes fit. Beyond it the nodes are their ranks, and those that need attention have their names elsewhere.
constexpr std::size_t kMaxNames = 160 * 1024;
constexpr std::size_t kMaxName = 253;

char letter_of(StageState state) {
  switch (state) {
    case StageState::Waiting:
      return 'W';
    case StageState::Running:
      return 'R';
    case StageState::Passed:
      return 'P';
    case StageState::Failed:
      return 'F';
    case StageState::Skipped:
      return 'S';
  }
  return 'W';
}

/// The lowest of a node's ranks: a collective is as fast as its slowest. In tenths, which the figures are good for.
double lowest(const std::vector<RankResult>& ranks) {
  double least = 0;
  for (const auto& each : ranks) {
    if (each.bus_gbytes > 0) least = least > 0 ? std::min(least, each.bus_gbytes) : each.bus_gbytes;
  }
  return least > 0 ? std::max(0.1, std::round(least * 10) / 10) : 0;
}

/// An entry a node, or none at all when nothing was measured.
std::vector<double> bandwidths(const Roll& roll, std::vector<RankResult> Pod::*ranks) {
  std::vector<double> values;
  bool any = false;
  for (const Pod& pod : roll.pods) {
    values.push_back(lowest(pod.*ranks));
    any = any || values.back() > 0;
  }
  if (!any) values.clear();
  return values;
}

std::vector<std::string> names(const Roll& roll) {
  std::vector<std::string> all;
  std::size_t bytes = 0;
  for (const Pod& pod : roll.pods) {
    all.push_back(clipped(pod.node(), kMaxName));
    bytes += all.back().size() + 3;  // quotes and comma
  }
  const bool any = std::any_of(all.begin(), all.end(), [](const std::string& each) { return !each.empty(); });
  if (!any || bytes > kMaxNames) all.clear();
  return all;
}

/// The value most nodes have, as the groups have it.
std::string most(const std::vector<api::ReportGroup>& groups, std::string_view what) {
  for (const auto& group : groups) {
    if (group.what == what && !group.minority) return group.value;
  }
  return {};
}

/// "mlx5_0:1 … mlx5_7:1", of the first rank that lists any.
std::string devices_of(const Roll& roll) {
  for (const Pod& pod : roll.pods) {
    for (const auto& rank : pod.job_ranks) {
      if (rank.devices.empty()) continue;
      const std::string first = clipped(rank.devices.front(), 64);
      return rank.devices.size() == 1
                 ? first
                 : fmt::format("{} … {} ({})", first, clipped(rank.devices.back(), 64), rank.devices.size());
    }
  }
  return {};
}

}  // namespace

api::Report report_of(const Roll& roll, const NodeStages& stages) {
  api::Report report;
  report.simulated = roll.simulated;
  for (int i = 0; i < kStages; ++i) report.stages.emplace_back(name_of(static_cast<Stage>(i)));
  report.nodes = names(roll);
  report.states.reserve(roll.pods.size());
  for (const Pod& pod : roll.pods) {
    std::string letters(kStages, 'W');
    for (int i = 0; i < kStages; ++i)
      letters[static_cast<std::size_t>(i)] = letter_of(stages.of(pod, static_cast<Stage>(i)));
    report.states.push_back(std::move(letters));
  }
  report.node_bus_gbytes = bandwidths(roll, &Pod::node_ranks);
  report.job_bus_gbytes = bandwidths(roll, &Pod::job_ranks);
  report.matrix = report_parts::matrix(roll);
  report.pairs = report_parts::pairs(roll);
  report.groups = report_parts::groups(roll);
  report.timeline = report_parts::timeline(roll);
  report.transport = most(report.groups, "Transport");
  if (const auto devices = devices_of(roll); !report.transport.empty() && !devices.empty())
    report.transport += ", " + devices;
  report.gpus = most(report.groups, "GPUs");
  if (!report.gpus.empty()) report.gpus += " a node";
  return report;
}

}  // namespace rollcall::roll_call
