#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "roll_call/world.h"

/// A World whose nodes have GPUs and run the collectives they are ordered. Faults are functions of the test.
namespace rollcall::roll_call::testing {

/// A rank as a fault sees it.
struct Rank {
  std::vector<int> nodes;  ///< all that take part
  int node = 0;
  int gpu = 0;
  CollectiveScope scope = CollectiveScope::Node;
  std::vector<int> gpus;  ///< of this node that take part
  std::map<std::string, std::string> env;
  int times = 0;  ///< collectives this node was ordered before

  bool with_node(int other) const { return std::count(nodes.begin(), nodes.end(), other) > 0; }
  bool with_gpu(int other) const { return std::count(gpus.begin(), gpus.end(), other) > 0; }
};

inline RankResult hung(const std::string& step = "ncclCommInitRank", double seconds = 41) {
  RankResult result;
  result.outcome = RankOutcome::TimedOut;
  result.step = step;
  result.step_seconds = seconds;
  return result;
}
inline RankResult error(const std::string& words, int code = 2, const std::string& step = "ncclCommInitRank") {
  RankResult result;
  result.outcome = RankOutcome::Error;
  result.step = step;
  result.error = words;
  result.result = code;
  return result;
}

class GpuWorld : public World {
 public:
  explicit GpuWorld(int nnodes, int gpus = 2, const std::function<void(api::RollCall&)>& change = {})
      : World(nnodes, [&](api::RollCall& r) {
          r.spec.gpus_per_pod = r.spec.nproc_per_node = gpus;
          r.spec.gpu_resource = "nvidia.com/gpu";
          if (change) change(r);
        }) {
    orders.resize(static_cast<std::size_t>(nnodes));
    facts = [sound = facts, gpus](int node) {
      auto f = sound(node);
      f.gpu_resource = "nvidia.com/gpu";
      f.gpus_requested = f.gpus_visible = gpus;
      return f;
    };
    gpu = [gpus](int node) {
      GpuFacts f;
      f.library = true;
      f.library_path = "/usr/lib/libcuda.so.1";
      f.cuda_result = f.nvml_result = 0;
      f.init_seconds = 1;
      f.cuda_version = 12040;
      f.driver = "550.54.15";
      for (int i = 0; i < gpus; ++i) {
        GpuFact each;
        each.index = i;
        each.uuid = fmt::format("GPU-{}-{}", node, i);
        each.name = "NVIDIA H100 80GB HBM3";
        each.compute_major = 9;
        f.gpus.push_back(each);
      }
      return f;
    };
    nccl = [](int node) {
      NcclFacts f;
      f.path = "/usr/lib/libnccl.so.2";
      f.version = "2.27.5";
      f.build_id = "aa";
      f.source = "job";
      f.interface_result = 0;
      f.interface_name = "eth0";
      f.interface_address = fmt::format("10.0.0.{}", node + 1);
      f.memlock_bytes = -1;
      return f;
    };
    bandwidth = [](const Rank&) { return 100.0; };
    fault = [](const Rank&) { return std::nullopt; };
    check = [](int, const api::UserCheck& wanted) {
      CheckResult result;
      result.name = wanted.name;
      result.ran = true;
      result.output = "fine";
      return result;
    };
    collective = {};  // run() answers
    on_order = [this](int node, const Instruction& said, Answer& results) { obey_order(node, said, results); };
  }

  std::function<GpuFacts(int)> gpu;
  std::function<NcclFacts(int)> nccl;
  std::function<double(const Rank&)> bandwidth;
  std::function<std::optional<RankResult>(const Rank&)> fault;
  std::function<CheckResult(int, const api::UserCheck&)> check;
  std::vector<std::vector<CollectiveOrder>> orders;  ///< by node: each id once

 private:
  void obey_order(int node, const Instruction& said, Answer& results) {
    if (said.step == Step::Gpu || said.step == Step::Facts) results.gpu = gpu(node);
    if (said.step == Step::Nccl || said.step == Step::Facts) results.nccl = nccl(node);
    if (said.step == Step::Checks) {
      results.checks.emplace();
      for (const auto& wanted : roll_call.spec.settings.checks) results.checks->checks.push_back(check(node, wanted));
      results.checks->done = true;
    }
    if (said.step == Step::Collective && said.collective) run(node, *said.collective, results);
  }

  void run(int node, const CollectiveOrder& order, Answer& results) {
    auto& known = orders[static_cast<std::size_t>(node)];
    if (known.empty() || known.back().id != order.id) known.push_back(order);
    if (results.collective && results.collective->id == order.id && results.collective->done) return;
    CollectiveState state;
    state.id = order.id;
    if (order.scope != CollectiveScope::Node && order.unique_id.empty()) {
      state.unique_id = fmt::format("{:04x}{:04x}", order.id, node);
      results.collective = state;
      return;  // the others get it first
    }
    Rank rank;
    rank.nodes = order.scope == CollectiveScope::Node ? std::vector<int>{node} : nodes_with(order.unique_id);
    if (order.scope != CollectiveScope::Node && rank.nodes.size() < 2) rank.nodes = {node};
    rank.node = node;
    rank.scope = order.scope;
    rank.gpus = order.gpus;
    rank.env = order.env;
    rank.times = static_cast<int>(known.size()) - 1;
    for (std::size_t i = 0; i < order.gpus.size(); ++i) {
      rank.gpu = order.gpus[i];
      RankResult result = fault(rank).value_or(RankResult{});
      result.rank = order.first_rank + static_cast<int>(i);
      result.gpu = rank.gpu;
      result.uuid = fmt::format("GPU-{}-{}", node, rank.gpu);
      if (result.outcome == RankOutcome::Ok && order.large_bytes > 0 && order.nranks > 1)
        result.bus_gbytes = bandwidth(rank);
      state.ranks.push_back(result);
    }
    state.done = true;
    results.collective = state;
  }

  /// Who was told the id, this one included.
  std::vector<int> nodes_with(const std::string& unique_id) {
    auto& nodes = members[unique_id];
    if (nodes.empty()) {
      for (int node = 0; node < nnodes(); ++node) {
        const auto said = desk->instruction_for(probes[static_cast<std::size_t>(node)].uid, now);
        if (said && said->collective && said->collective->unique_id == unique_id) nodes.push_back(node);
      }
    }
    return nodes;
  }

  std::map<std::string, std::vector<int>> members;
};

}  // namespace rollcall::roll_call::testing
