#include <fmt/format.h>

#include <algorithm>

#include "roll_call/collective/search.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// Pairs told one by one before the rest is counted.
constexpr std::size_t kMaxPairs = 4;

const Pod& pod_of(const Roll& roll, int node) { return roll.pods[static_cast<std::size_t>(node)]; }

/// The words of one search: over nodes, or over one node's GPUs.
class Words {
 public:
  Words(const Roll& roll, const Search& search) : roll_(roll), search_(search) {}

  bool of_gpus() const { return search_.node >= 0; }

  std::string name(int place) const {
    const int member = search_.members[static_cast<std::size_t>(place)];
    if (!of_gpus()) return who_briefly(pod_of(roll_, member));
    for (const GpuFact& gpu : pod_of(roll_, search_.node).gpu->gpus) {
      if (gpu.index == member && !gpu.uuid.empty()) return fmt::format("GPU {} ({})", member, gpu.uuid);
    }
    return fmt::format("GPU {}", member);
  }
  std::string names(const std::vector<int>& places, std::size_t max = 8) const {
    return listed_of(
        places.size(), [&](std::size_t i) { return name(places[i]); }, max);
  }
  std::string pairs(const std::vector<PairOf>& pairs) const {
    return listed_of(
        pairs.size(), [&](std::size_t i) { return name(pairs[i].a) + " and " + name(pairs[i].b); }, kMaxPairs);
  }
  /// " of gpu-17 (node rank 3)" for GPUs.
  std::string where() const { return of_gpus() ? " of " + who_briefly(pod_of(roll_, search_.node)) : ""; }

  std::vector<int> node_ranks(const std::vector<int>& places) const {
    if (of_gpus()) return {search_.node};
    std::vector<int> ranks;
    for (const int place : places) ranks.push_back(search_.members[static_cast<std::size_t>(place)]);
    return ranks;
  }
  std::vector<int> node_ranks(const std::vector<PairOf>& pairs) const {
    std::vector<int> places;
    for (const PairOf& pair : pairs) places.insert(places.end(), {pair.a, pair.b});
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return node_ranks(places);
  }

  std::string partners(int place) const {
    std::vector<int> others;
    for (const Trial& trial : search_.trials) {
      if (!trial.good && (trial.a == place || trial.b == place)) others.push_back(trial.a == place ? trial.b : trial.a);
    }
    return names(others, 3);
  }

 private:
  const Roll& roll_;
  const Search& search_;
};

/// What the reruns of the failing pair came to.
std::string rerun_words(const Search& search) {
  std::string words;
  std::vector<std::string> in_vain;
  for (const auto& [variable, worked] : search.reruns) {
    if (!worked) {
      in_vain.push_back(variable + "=1");
    } else if (variable == "NCCL_IB_DISABLE") {
      words += " With NCCL_IB_DISABLE=1 the same pair works: the fault lies in InfiniBand or RoCE, TCP is sound.";
    } else {
      words +=
          " With NCCL_P2P_DISABLE=1 the same pair works: the fault lies in NVLink or in PCIe peer access (ACS, "
          "IOMMU).";
    }
  }
  if (!in_vain.empty()) words += fmt::format(" It does not work with {} either.", listed(in_vain));
  return words;
}

std::string advice_for_node(bool gpu) {
  return gpu ? "Look at dmesg for Xid lines and at nvidia-smi -q of that GPU; reset it, or cordon the node"
             : "Cordon the node and look at its GPUs, network cards and driver";
}

}  // namespace

api::NodeFinding search_finding(const Roll& roll, const Search& search) {
  const Words words(roll, search);
  const bool gpus = words.of_gpus();
  const Blame blame = conclude(static_cast<int>(search.members.size()), search.trials);
  // What is only slow does not fail.
  const bool slow = search.how == kBelowFloor;
  const std::string how = slow || search.how.empty() ? "" : fmt::format(" ({})", search.how);
  const std::string fails = slow ? "is " + search.how : "fails";
  const std::string fail = slow ? "are " + search.how : "fail";
  api::NodeFinding finding;
  finding.severity = "fail";
  switch (blame.kind) {
    case Blame::Kind::Nothing:
      finding.rule = "collective/not-reproduced";
      finding.severity = "info";
      finding.message = fmt::format(
          "the all-reduce {} {}, but each of the {} pairs that were tried works: what fails needs more than two, "
          "or comes and goes",
          gpus ? "within " + who_briefly(pod_of(roll, search.node)) : std::string("over all nodes"),
          roll.memory.by_floor ? "was " + std::string(kBelowFloor) : "failed", blame.tried);
      break;
    case Blame::Kind::Everyone:
      finding.rule = gpus ? "collective/every-gpu-pair" : "collective/every-pair";
      finding.message = fmt::format(
          "each of the {} pairs of {}{} that were tried {}{}: none stands out, so look at what they "
          "share: {}",
          blame.tried, gpus ? "GPUs" : "nodes", words.where(), fails, how,
          gpus ? "the node's driver, its fabric manager, /dev/shm, the library"
               : "the network between the nodes, NCCL's settings, the library");
      if (gpus) finding.node_ranks = {search.node};
      finding.owner = gpus ? "node" : "network";
      break;
    case Blame::Kind::Nodes: {
      const int first = blame.nodes.front();
      finding.rule = gpus ? "collective/gpu" : "collective/node";
      finding.message = fmt::format(
          "{}{} {} in NCCL with every {} tried beside {} ({}){}, and those work with others. {}",
          words.names(blame.nodes), words.where(), blame.nodes.size() == 1 ? fails : fail, gpus ? "GPU" : "node",
          blame.nodes.size() == 1 ? "it" : "them", words.partners(first), how, advice_for_node(gpus));
      if (!blame.pairs.empty()) finding.message += fmt::format(". Also between {}", words.pairs(blame.pairs));
      finding.node_ranks = words.node_ranks(blame.nodes);
      finding.owner = "node";
      break;
    }
    case Blame::Kind::Pairs: {
      const bool two = search.members.size() == 2;
      finding.rule = gpus ? "collective/gpu-pair" : "collective/pair";
      finding.message =
          fmt::format("NCCL {} between {}{}{}. {}", fails, words.pairs(blame.pairs), words.where(), how,
                      two ? fmt::format("With two {} alone it can't be told which of them, or what lies between them, "
                                        "is at fault",
                                        gpus ? "GPUs" : "nodes")
                          : fmt::format("What lies between them is at fault, as far as {} pairs tell: look at {}",
                                        blame.tried, gpus ? "NVLink and PCIe between them" : "the path between them"));
      finding.node_ranks = words.node_ranks(blame.pairs);
      finding.owner = gpus ? "node" : "network";
      break;
    }
    case Blame::Kind::Partition:
      finding.rule = gpus ? "collective/gpu-partition" : "collective/partition";
      finding.message = fmt::format(
          "the {}{} fall into two groups: NCCL works within each and {} between them{}: {} on one side, {} on the "
          "other.",
          gpus ? "GPUs" : "nodes", words.where(), slow ? fails : "not", how, words.names(blame.side),
          words.names(blame.other_side));
      if (!blame.unknown.empty())
        finding.message += fmt::format(" On which side {} is was not seen.", words.names(blame.unknown));
      finding.message += gpus ? " Look at the links between CPU sockets and PCIe switches"
                              : " Look at the switch or the route that joins them";
      finding.node_ranks = words.node_ranks(blame.side);
      finding.owner = gpus ? "node" : "network";
      break;
  }
  if (const std::string reruns = rerun_words(search); !reruns.empty()) {
    if (finding.message.back() != '.') finding.message += '.';
    finding.message += reruns;
  }
  if (roll.memory.out_of_time) {
    if (finding.message.back() != '.') finding.message += '.';
    finding.message += fmt::format(" The search stopped before its end: timeoutSeconds ({} s) leaves no time for more.",
                                   roll.spec.settings.timeout_seconds);
  }
  return finding;
}

}  // namespace rollcall::roll_call
