#include <memory>

#include "range/delay.h"
#include "range/faults.h"

namespace rollcall::range {
namespace {

using namespace std::chrono_literals;
using roll_call::Instruction;
using roll_call::Step;

constexpr auto kEphemeral = "32768:60999";

/// A rule at `node` for what comes from `peer`.
void drop_from(Range& range, int node, int peer, const std::string& match, const std::string& target = "DROP") {
  range.network().at(node,
                     "iptables -w -A INPUT -s " + range.network().address(peer) + " -p tcp " + match + " -j " + target);
}

std::string ephemeral() { return std::string("--dport ") + kEphemeral; }

std::set<int> all_but(int nodes, int one) {
  std::set<int> rest;
  for (int node = 0; node < nodes; ++node) {
    if (node != one) rest.insert(node);
  }
  return rest;
}

/// A fault of all that one node has with the others. With three nodes its two pairs are all that can be said; with more
/// the node itself is named.
std::vector<Blame> node_or_its_pairs(int nodes, int node, const std::string& rules,
                                     const std::string& severity = "fail") {
  std::vector<Blame> blames;
  if (nodes >= 4) return {{rules, severity, {node}, "gpu-" + std::to_string(node)}};
  for (const int peer : all_but(nodes, node)) blames.push_back({rules, severity, {node, peer}, ""});
  return blames;
}

/// Does something once, before the first such order goes out.
auto once_before(Step step, std::function<void(Range&)> act) {
  return [step, act = std::move(act)](Range& range, int, const Instruction& order) {
    if (order.step == step) range.once(act);
  };
}

/// Half of the nodes and none of the others.
int in_first_half(int nodes) { return nodes / 2; }

void cut_between_halves(Range& range, const std::string& match) {
  for (int node = 0; node < range.nodes(); ++node) {
    for (int peer = 0; peer < range.nodes(); ++peer) {
      const int half = in_first_half(range.nodes());
      if ((node < half) != (peer < half)) drop_from(range, node, peer, match);
    }
  }
}

Truth halves(int nodes) {
  if (nodes < 4) return {End::Held, node_or_its_pairs(nodes, 0, "mesh/dropped")};
  return {End::Held,
          {{"mesh/partition",
            "fail",
            {0, 1, 2},
            "gpu-0 (node rank 0), gpu-1 (node rank 1) and gpu-2 (node rank 2) on one side, gpu-3 (node rank 3), gpu-4 "
            "(node "
            "rank 4) and gpu-5 (node rank 5) on the other",
            {3, 4, 5}}}};
}

/// Nothing of the probes' own network is left: connections, listeners, TIME_WAIT on ports a trainer could want, and no
/// segment of NCCL's in /dev/shm.
std::string nothing_left(Range& range) {
  std::string wrong;
  for (int node = 0; node < range.nodes(); ++node) {
    const auto listening = range.network().ask(node, "ss -Htln");
    if (!listening.empty()) wrong += "gpu-" + std::to_string(node) + " still listens: " + listening;
    const auto segments = range.network().ask(node, "find " + range.shared_memory(node) + " -name 'nccl-*'");
    if (!segments.empty()) wrong += "gpu-" + std::to_string(node) + " has left in /dev/shm: " + segments;
    // A connection that the probe opened to the desk may be in TIME_WAIT on a port of its own; none of the mesh's and
    // none on MASTER_PORT may.
    for (int peer = 0; peer < range.nodes(); ++peer) {
      const auto left = range.network().ask(node, "ss -Htan src " + range.network().address(node) + " dst " +
                                                      range.network().address(peer) + " sport = :29500");
      if (!left.empty()) wrong += "gpu-" + std::to_string(node) + " has left on MASTER_PORT: " + left;
    }
  }
  return wrong;
}

Truth pair(const std::string& rule, const std::string& says) { return {End::Held, {{rule, "fail", {1, 2}, says}}}; }

}  // namespace

std::vector<Fault> network_faults() {
  std::vector<Fault> faults;

  faults.push_back({"NoFault", "none; and nothing remains that the job would trip on", [](int) {
                      return Truth{End::Released, {}};
                    }});
  faults.back().after = nothing_left;

  faults.push_back(
      {"DroppedOneWay", "new connections gpu-1 to gpu-2 dropped, ephemeral ports",
       [](int) { return pair("mesh/dropped", "gpu-2 (node rank 2, rank 2) drops new connections from gpu-1"); },
       [](Range& range) { drop_from(range, 2, 1, "--syn " + ephemeral()); }});

  faults.push_back({"DroppedBothWays", "all packets to ephemeral ports dropped at gpu-2 from gpu-1",
                    [](int) { return pair("mesh/dropped", "are dropped in both directions"); },
                    [](Range& range) { drop_from(range, 2, 1, ephemeral()); }});

  faults.push_back(
      {"Rejected", "gpu-2 rejects gpu-1, ephemeral ports",
       [](int) { return pair("mesh/refused", "refuses new connections from gpu-1"); },
       [](Range& range) { drop_from(range, 2, 1, "--syn " + ephemeral(), "REJECT --reject-with tcp-reset"); }});

  faults.push_back({"Unroutable", "gpu-1 has no route to gpu-2",
                    [](int) { return pair("mesh/no-route", "gpu-1 (node rank 1) has no route to gpu-2"); },
                    [](Range& range) {
                      // Only what gpu-1 begins: answers to gpu-2's own connections are no new connections.
                      range.network().at(1, "iptables -w -A OUTPUT -d " + range.network().address(2) +
                                                " -p tcp --syn -j REJECT --reject-with icmp-host-unreachable");
                    }});

  faults.push_back({"MtuBlackHole", "packets above 1400 bytes lost from gpu-1 to gpu-2",
                    [](int) { return pair("mesh/stalled", "do not come through in either direction"); },
                    [](Range& range) {
                      for (const int node : {1, 2}) range.network().plain_packets(node);
                      drop_from(range, 2, 1, "-m length --length 1400:65535");
                    }});

  faults.push_back({"OneNodeDropsAll", "gpu-2 drops all new connections, ephemeral ports",
                    [](int nodes) {
                      return Truth{End::Held, node_or_its_pairs(nodes, 2, "mesh/dropped")};
                    },
                    [](Range& range) {
                      for (const int peer : all_but(range.nodes(), 2))
                        drop_from(range, 2, peer, "--syn " + ephemeral());
                    }});

  faults.push_back({"EveryNodeDropsAll", "all nodes drop new connections, ephemeral ports; MASTER_PORT works",
                    [](int nodes) {
                      if (nodes >= 4) return Truth{End::Held, {{"mesh/every-pair", "fail", {}, "no node stands out"}}};
                      return Truth{End::Held,
                                   {{"mesh/dropped", "fail", {0, 1}, "in both directions"},
                                    {"mesh/dropped", "fail", {0, 2}, "in both directions"},
                                    {"mesh/dropped", "fail", {1, 2}, "in both directions"}}};
                    },
                    [](Range& range) {
                      for (int node = 0; node < range.nodes(); ++node) {
                        for (const int peer : all_but(range.nodes(), node))
                          drop_from(range, node, peer, "--syn " + ephemeral());
                      }
                    }});

  faults.push_back({"OneNodeCutOff", "gpu-2 cut off from the others, the desk reachable",
                    [](int nodes) {
                      auto blames = node_or_its_pairs(nodes, 2, "mesh/dropped");
                      blames.push_back({"master-port/unreachable", "fail", {2}, "gpu-2 (node rank 2): no answer", {0}});
                      return Truth{End::Held, blames};
                    },
                    [](Range& range) {
                      for (const int peer : all_but(range.nodes(), 2)) {
                        drop_from(range, 2, peer, "");
                        drop_from(range, peer, 2, "");
                      }
                    }});

  faults.push_back({"PartitionInHalves", "new connections to ephemeral ports dropped between two halves", halves,
                    [](Range& range) { cut_between_halves(range, "--syn " + ephemeral()); }});

  faults.push_back({"PartitionWhole", "all packets dropped between two halves",
                    [](int nodes) {
                      auto truth = halves(nodes);
                      std::set<int> far;
                      for (int node = in_first_half(nodes); node < nodes; ++node) far.insert(node);
                      truth.blames.push_back({"master-port/unreachable", "fail", far, "no answer", {0}});
                      return truth;
                    },
                    [](Range& range) { cut_between_halves(range, ""); }});

  faults.push_back(
      {"MasterPortRejected", "gpu-0 rejects MASTER_PORT from gpu-2",
       [](int) {
         return Truth{End::Held, {{"master-port/unreachable", "fail", {2}, "gpu-2 (node rank 2): refused", {0}}}};
       },
       [](Range& range) { drop_from(range, 0, 2, "--dport 29500", "REJECT --reject-with tcp-reset"); }});

  faults.push_back({"Loss", "2 % of packets lost from gpu-1 to gpu-2",
                    [](int) {
                      return Truth{End::Released, {{"mesh/loss", "warn", {1, 2}, "from gpu-1 (node rank 1) to gpu-2"}}};
                    },
                    [](Range& range) {
                      for (const int node : {1, 2}) range.network().plain_packets(node);
                      drop_from(range, 2, 1, "-m statistic --mode random --probability 0.02");
                    }});

  faults.push_back({"DelayOfAPair", "packets from gpu-1 to gpu-2 arrive 20 ms later", [](int) {
                      return Truth{End::Released, {{"mesh/slow-pair", "warn", {1, 2}, ""}}};
                    }});
  faults.back().keep = [](Range& range) -> std::shared_ptr<void> { return Delay::start(range.network(), 1, 2, 20ms); };

  faults.push_back({"DelayOfANode", "packets from gpu-2 to all others arrive 20 ms later", [](int nodes) {
                      if (nodes >= 4) return Truth{End::Released, {{"mesh/slow-node", "warn", {2}, "gpu-2"}}};
                      return Truth{End::Released, node_or_its_pairs(nodes, 2, "mesh/slow-pair", "warn")};
                    }});
  faults.back().keep = [](Range& range) -> std::shared_ptr<void> {
    auto relays = std::make_shared<std::vector<std::unique_ptr<Delay>>>();
    for (const int peer : all_but(range.nodes(), 2)) relays->push_back(Delay::start(range.network(), 2, peer, 20ms));
    return relays;
  };

  faults.push_back({"InterfaceDownInMidStage", "gpu-2's interface goes down when its mesh begins", [](int nodes) {
                      auto blames = node_or_its_pairs(nodes, 2, "mesh/dropped|mesh/no-route");
                      blames.push_back({"probe/silent", "fail", {2}, "gpu-2"});
                      return Truth{End::Held, blames};
                    }});
  faults.back().options.speed = 3;  // 20 s until the desk no longer waits for gpu-2
  faults.back().options.on_order =
      once_before(Step::ConnectMesh, [](Range& range) { range.network().at_desk("ip link set n2 down"); });

  faults.push_back({"DeskUnreachable", "the desk can't be reached from gpu-2",
                    [](int) {
                      return Truth{End::Held, {{"probe/mute", "fail", {2}, "gpu-2"}}};
                    },
                    [](Range& range) {
                      range.network().at_desk("iptables -w -A INPUT -s " + range.network().address(2) + " -j DROP");
                    }});
  faults.back().options.speed = 30;  // 60 s until a probe counts as mute
  faults.back().options.spec = [](api::RollCallSpec& spec) { spec.settings.timeout_seconds = 90; };

  faults.push_back({"DeskUnreachableInMidStage", "the desk can't be reached from gpu-2 after its facts", [](int) {
                      return Truth{End::Held, {{"probe/silent", "fail", {2}, "gpu-2"}}};
                    }});
  faults.back().options.speed = 3;
  faults.back().options.on_order = once_before(Step::ListenMesh, [](Range& range) {
    range.network().at_desk("iptables -w -A INPUT -s " + range.network().address(2) + " -j DROP");
  });

  return faults;
}

}  // namespace rollcall::range
