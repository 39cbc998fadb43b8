#include "roll_call/collective/bandwidth.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "roll_call/collective/judge.h"
#include "roll_call/collective/outcome.h"
#include "roll_call/collective/sizes.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// Measurements below half before it is sure: the first, then twice in a row. Another job on a shared switch, or a
/// clock that rises from idle, is over by the second.
constexpr int kMeasurements = 3;

/// Only like is compared with like: a job may stand on machines of two kinds.
std::string kind_of(const Pod& pod) {
  if (!pod.gpu || pod.gpu->gpus.empty()) return "";
  return fmt::format("{} {}", pod.node_ranks.size(), pod.gpu->gpus.front().name);
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// By kind of node; absent where too few were measured.
std::map<std::string, double> medians(const std::vector<NodeBandwidth>& measured) {
  std::map<std::string, std::vector<double>> values;
  for (const auto& each : measured) values[kind_of(*each.pod)].push_back(each.gbytes);
  std::map<std::string, double> result;
  for (auto& [kind, of_kind] : values) {
    if (of_kind.size() >= kNodesToCompare) result[kind] = median_of(std::move(of_kind));
  }
  return result;
}

std::string figures(const std::vector<NodeBandwidth>& nodes, const std::map<std::string, double>& medians) {
  return listed_of(nodes.size(), [&](std::size_t i) {
    return fmt::format("{} with {:.3g} of {:.3g} GB/s", who_briefly(*nodes[i].pod), nodes[i].gbytes,
                       medians.at(kind_of(*nodes[i].pod)));
  });
}

void add_slow(Roll& roll, const char* severity, const std::vector<NodeBandwidth>& nodes,
              const std::map<std::string, double>& medians, const std::string& words) {
  if (nodes.empty()) return;
  api::NodeFinding finding{"collective/slow-node",
                           severity,
                           fmt::format("the all-reduce within the node is slower than on the job's other nodes: {} "
                                       "(median of the job). {}Every step of training waits for the slowest node: "
                                       "look at throttling (nvidia-smi -q -d PERFORMANCE), NVLink and PCIe width there",
                                       figures(nodes, medians), words),
                           {},
                           "node"};
  for (const auto& each : nodes) finding.node_ranks.push_back(each.pod->node_rank);
  stages::add(roll, Stage::NodeCollective, std::move(finding));
}

}  // namespace

std::vector<NodeBandwidth> node_bandwidths(const Roll& roll) {
  std::vector<NodeBandwidth> measured;
  for (const Pod& pod : roll.pods) {
    if (const double gbytes = bus_gbytes(pod.node_ranks); gbytes > 0) measured.push_back({&pod, gbytes});
  }
  return measured;
}

std::vector<int> slow_nodes(Roll& roll, const std::string& partial) {
  const auto first = node_bandwidths(roll);
  const auto usual = medians(first);
  const auto share = [&](const NodeBandwidth& each) {
    const auto found = usual.find(kind_of(*each.pod));
    return found == usual.end() ? 1.0 : each.gbytes / found->second;
  };
  std::vector<NodeBandwidth> below_half;
  std::vector<NodeBandwidth> below_most;
  if (roll.memory.measured == 1) {
    for (const auto& each : first) {
      if (share(each) < kFailShare) {
        below_half.push_back(each);
      } else if (share(each) < kWarnShare) {
        below_most.push_back(each);
      }
    }
  } else {
    for (const Ran& ran : brought(roll)) {
      const NodeBandwidth again{ran.pod, bus_gbytes(*ran.ranks)};
      if (again.gbytes <= 0) continue;  // it failed, and has its own finding
      (share(again) < kFailShare ? below_half : below_most).push_back(again);
    }
  }
  add_slow(roll, "warn", below_most, usual,
           roll.memory.measured == 1 ? "" : "It was below half of it at first, and then no more. ");
  if (roll.memory.measured < kMeasurements) {
    std::vector<int> again;
    for (const auto& each : below_half) again.push_back(each.pod->node_rank);
    return again;
  }
  add_slow(roll, partial.empty() ? "fail" : "warn", below_half, usual,
           fmt::format("Measured {} times, below half of it each time. ", kMeasurements));
  return {};
}

}  // namespace rollcall::roll_call
