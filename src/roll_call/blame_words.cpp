#include "roll_call/blame_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

const Pod& pod_of(const MeshResult& mesh, int node) { return mesh.roll->pods[static_cast<std::size_t>(node)]; }

const char* rule_of(EdgeOutcome outcome) {
  switch (outcome) {
    case EdgeOutcome::Refused:
      return "mesh/refused";
    case EdgeOutcome::NoRoute:
      return "mesh/no-route";
    case EdgeOutcome::Stalled:
      return "mesh/stalled";
    case EdgeOutcome::WrongPeer:
      return "mesh/wrong-peer";
    case EdgeOutcome::LocalError:
      return "mesh/local-error";
    case EdgeOutcome::Ok:
    case EdgeOutcome::Dropped:
      break;
  }
  return "mesh/dropped";
}

/// "the 4 ephemeral ports we tried", "2 of the 4 ephemeral ports we tried".
std::string ports_words(const Edge& edge) {
  const int tried = std::max({edge.tried, edge.failed, 1});
  const int failed = edge.failed > 0 ? edge.failed : tried;
  const std::string all =
      tried == 1 ? "the ephemeral port we tried" : fmt::format("the {} ephemeral ports we tried", tried);
  return failed < tried ? fmt::format("{} of {}", failed, all) : all;
}

std::string quoted(const std::string& detail) { return detail.empty() ? "" : " (" + detail + ")"; }

/// One direction, as a sentence without its full stop.
std::string one_way(const std::string& from, const std::string& to, const Edge& edge) {
  switch (edge.outcome) {
    case EdgeOutcome::Refused:
      return fmt::format("{} refuses new connections from {} to {}", to, from, ports_words(edge));
    case EdgeOutcome::NoRoute:
      return fmt::format("{} has no route to {}{}", from, to, quoted(edge.detail));
    case EdgeOutcome::Stalled:
      return fmt::format("connections from {} to {} open, then 64 KiB do not come through{}", from, to,
                         quoted(edge.detail));
    case EdgeOutcome::WrongPeer:
      return fmt::format("something else than the probe answers {} at the address of {}{}", from, to,
                         quoted(edge.detail));
    case EdgeOutcome::LocalError:
      return fmt::format("{} could not try to reach {}{}", from, to, quoted(edge.detail));
    case EdgeOutcome::Ok:
    case EdgeOutcome::Dropped:
      break;
  }
  return fmt::format("{} drops new connections from {} to {}", to, from, ports_words(edge));
}

/// Both directions alike.
std::string both_ways(const std::string& a, const std::string& b, const Edge& edge) {
  switch (edge.outcome) {
    case EdgeOutcome::Refused:
      return fmt::format("new connections between {} and {} are refused in both directions, to {}", a, b,
                         ports_words(edge));
    case EdgeOutcome::NoRoute:
      return fmt::format("there is no route between {} and {}{}", a, b, quoted(edge.detail));
    case EdgeOutcome::Stalled:
      return fmt::format("connections between {} and {} open, then 64 KiB do not come through in either direction{}", a,
                         b, quoted(edge.detail));
    case EdgeOutcome::WrongPeer:
      return fmt::format("something else than the probes answers between {} and {}{}", a, b, quoted(edge.detail));
    case EdgeOutcome::LocalError:
      return fmt::format("neither {} nor {} could try to reach the other{}", a, b, quoted(edge.detail));
    case EdgeOutcome::Ok:
    case EdgeOutcome::Dropped:
      break;
  }
  return fmt::format("new connections between {} and {} are dropped in both directions, to {}", a, b,
                     ports_words(edge));
}

/// "are dropped": the verb after "new connections from A to B".
const char* verb_of(EdgeOutcome outcome) {
  switch (outcome) {
    case EdgeOutcome::Refused:
      return "are refused";
    case EdgeOutcome::NoRoute:
      return "find no route";
    case EdgeOutcome::Stalled:
      return "open, then 64 KiB do not come through";
    case EdgeOutcome::WrongPeer:
      return "reach something else than the probe";
    case EdgeOutcome::LocalError:
      return "could not be tried";
    case EdgeOutcome::Ok:
    case EdgeOutcome::Dropped:
      break;
  }
  return "are dropped";
}

/// What it means that the one well-known port works or does not.
std::string rendezvous_words(const MeshResult& mesh) {
  const auto& spec = mesh.roll->spec;
  if (!mesh.rendezvous_works)
    return fmt::format(" The rendezvous port {} does not work for every node either.", spec.master_port);
  return fmt::format(" The rendezvous port {} works, so training would start and then hang in {}.", spec.master_port,
                     spec.gpus_per_pod > 0 ? "NCCL" : "its first collective");
}

std::string advice(const Edge& edge, const Pod& target, const std::string& where) {
  switch (edge.outcome) {
    case EdgeOutcome::Stalled:
      return " Large packets are lost: compare the MTU along the path, and look for a proxy or mesh sidecar between "
             "the pods.";
    case EdgeOutcome::WrongPeer:
      return " Look for a proxy, a mesh sidecar or a second owner of that address.";
    case EdgeOutcome::LocalError:
      return " Look at that node: limits, its firewall, its network namespace.";
    case EdgeOutcome::NoRoute:
      return " Look at the routes of the pod network on that node.";
    default:
      return fmt::format(" Open {} between {} (NetworkPolicy, security group).", port_range(target), where);
  }
}

const char* owner_of(EdgeOutcome outcome) { return outcome == EdgeOutcome::LocalError ? "node" : "network"; }

api::NodeFinding finding_of(const Edge& edge, std::string message, std::vector<int> node_ranks) {
  return {rule_of(edge.outcome), "fail", std::move(message), std::move(node_ranks), owner_of(edge.outcome)};
}

}  // namespace

api::NodeFinding pair_finding(const MeshResult& mesh, int low, int high, const PairFailure& failure,
                              std::size_t sound_nodes) {
  const Pod& a = pod_of(mesh, low);
  const Pod& b = pod_of(mesh, high);
  const int n = mesh.roll->nnodes();
  // With two nodes either may be at fault, so neither is the subject.
  const std::string between = n == 2
                                  ? fmt::format(" (between {} and {}: with two nodes the side at fault can't be told)",
                                                node_or_pod(a), node_or_pod(b))
                                  : "";
  std::string message;
  const Edge* shown = nullptr;
  const Pod* target = nullptr;
  if (failure.up && failure.down && failure.up->outcome == failure.down->outcome) {
    message = both_ways(who(a), who(b), *failure.up);
    shown = &*failure.up;
    target = &b;
  } else if (failure.up && failure.down) {
    message = one_way(who_briefly(a), who(b), *failure.up) + ", and " + one_way(who_briefly(b), who(a), *failure.down);
    shown = &*failure.up;
    target = &b;
  } else if (failure.up) {
    message = one_way(who_briefly(a), who(b), *failure.up) + between;
    shown = &*failure.up;
    target = &b;
  } else {
    message = one_way(who_briefly(b), who(a), *failure.down) + between;
    shown = &*failure.down;
    target = &a;
  }
  if (n > 2) message += fmt::format(", {} of {} nodes {} fine", sound_nodes, n, sound_nodes == 1 ? "is" : "are");
  message += "." + rendezvous_words(mesh) + advice(*shown, *target, "the job's nodes");
  return finding_of(*shown, std::move(message), {low, high});
}

api::NodeFinding node_finding(const MeshResult& mesh, int node, const std::vector<NodeFailure>& failures) {
  const Pod& pod = pod_of(mesh, node);
  const std::size_t others = mesh.peers[static_cast<std::size_t>(node)].size();
  std::size_t in = 0;
  std::size_t out = 0;
  const Edge* example_in = nullptr;
  const Edge* example_out = nullptr;
  for (const NodeFailure& each : failures) {
    if (each.in) {
      ++in;
      example_in = &*each.in;
    }
    if (each.out) {
      ++out;
      example_out = &*each.out;
    }
  }
  std::string message;
  const std::string share = fmt::format("{} of the {} other nodes", std::max(in, out), others);
  if (in > 0 && out == 0) {
    const bool active = example_in->outcome == EdgeOutcome::Dropped || example_in->outcome == EdgeOutcome::Refused;
    message = active ? one_way(share, who(pod), *example_in)
                     : fmt::format("new connections from {} to {} {}", share, who(pod), verb_of(example_in->outcome));
    message += ", while its own connections to them work";
  } else if (out > 0 && in == 0) {
    message = fmt::format("new connections from {} to {} {}, while theirs to it work", who(pod), share,
                          verb_of(example_out->outcome));
  } else {
    message = fmt::format("new connections between {} and {} {} in both directions", who(pod), share,
                          verb_of(example_in->outcome));
  }
  const Edge& shown = example_in != nullptr ? *example_in : *example_out;
  message += "; the fault is most likely at that node." + rendezvous_words(mesh) +
             advice(shown, pod, node_or_pod(pod) + " and the job's other nodes");
  return finding_of(shown, std::move(message), {node});
}

api::NodeFinding partition_finding(const MeshResult& mesh, const std::vector<std::vector<int>>& sides,
                                   const PairFailure& example) {
  const auto names = [&](const std::vector<int>& side) {
    std::vector<const Pod*> pods;
    for (const int node : side) pods.push_back(&pod_of(mesh, node));
    return listed(pods, who_briefly, 8);
  };
  const Edge& shown = example.up ? *example.up : *example.down;
  api::NodeFinding finding{
      "mesh/partition", "fail",
      fmt::format(
          "the job's nodes fall into two groups that cannot reach each other, while each is sound within itself: "
          "{} on one side, {} on the other.",
          names(sides[0]), names(sides[1])),
      sides[0].size() <= sides[1].size() ? sides[0] : sides[1], "network"};
  finding.message += rendezvous_words(mesh) + advice(shown, pod_of(mesh, sides[1].front()), "the two groups");
  return finding;
}

api::NodeFinding every_pair_finding(const MeshResult& mesh, std::size_t pairs, const PairFailure& example) {
  const Edge& shown = example.up ? *example.up : *example.down;
  api::NodeFinding finding{
      "mesh/every-pair",
      "fail",
      fmt::format("none of the {} pairs of the job's {} nodes that were tried works on ephemeral ports: no node stands "
                  "out, so look at what all of them share.",
                  pairs, mesh.roll->nnodes()),
      {},
      "network"};
  finding.message += rendezvous_words(mesh) + advice(shown, mesh.roll->pods.front(), "the job's nodes");
  return finding;
}

}  // namespace rollcall::roll_call
