#include <fmt/format.h>

#include <map>

#include "roll_call/stages/stage.h"
#include "roll_call/words.h"

namespace rollcall::roll_call::stages {
namespace {

constexpr int kListen = 0;
constexpr int kReach = 1;

bool reached_known(const Pod& pod) { return pod.node_rank == 0 || pod.reached.has_value(); }

void report_not_listening(Roll& roll, const Pod& master) {
  const MasterPortState& state = *master.master_port;
  const int port = roll.spec.master_port;
  const std::string at = fmt::format("port {} on {}", port, who(master));
  if (state.error == "EADDRINUSE") {
    add(roll, Stage::MasterPort,
        {"master-port/in-use",
         "fail",
         fmt::format("{} is in use{}: node rank 0 could not listen there, and every rank would wait for it. {}", at,
                     state.holder.empty() ? " (by whom can't be seen from the pod)" : " by " + state.holder,
                     roll.spec.host_network
                         ? "End that process, or choose another spec.rendezvous.port: on the host network the port is "
                           "the node's"
                         : "Another container of the pod holds it: end it, or choose another spec.rendezvous.port"),
         {0},
         roll.spec.host_network ? "node" : "job"});
  } else if (state.error == "EACCES" || state.error == "EPERM") {
    // No round and no other node would change it.
    add(roll, Stage::MasterPort,
        {"master-port/not-permitted",
         "fail",
         fmt::format("{} may not be bound ({}): the container lacks the right to it, on every node alike. Choose "
                     "spec.rendezvous.port 1024 or above, "
                     "for instance 29500",
                     at, state.error),
         {0},
         "job"},
        true);
  } else {
    add(roll, Stage::MasterPort,
        {"master-port/not-listening",
         "fail",
         fmt::format("node rank 0 could not listen on {}: {}", at,
                     state.error.empty() ? "the probe gave no reason" : state.error),
         {0},
         "node"});
  }
}

std::string how(const Pod& pod, const Edge& edge) {
  const std::string name = who_briefly(pod);
  const std::string detail = edge.detail.empty() ? "" : " (" + edge.detail + ")";
  switch (edge.outcome) {
    case EdgeOutcome::Refused:
      return name + ": refused" + detail;
    case EdgeOutcome::NoRoute:
      return name + ": no route" + detail;
    case EdgeOutcome::Stalled:
      return name + ": opens, then nothing comes through" + detail;
    case EdgeOutcome::WrongPeer:
      return name + ": something else than the probe answers" + detail;
    case EdgeOutcome::LocalError:
      return name + ": could not try" + detail;
    case EdgeOutcome::Ok:
    case EdgeOutcome::Dropped:
      break;
  }
  return name + ": no answer" + detail;
}

void report_unreachable(Roll& roll) {
  std::vector<std::string> ways;
  std::vector<int> ranks;
  std::size_t tried = 0;
  for (const Pod& pod : roll.pods) {
    if (pod.node_rank == 0 || !pod.reached) continue;
    ++tried;
    if (pod.reached->outcome == EdgeOutcome::Ok && pod.reached->to == 0) continue;
    ways.push_back(how(pod, *pod.reached));
    ranks.push_back(pod.node_rank);
  }
  if (ways.empty()) return;
  add(roll, Stage::MasterPort,
      {"master-port/unreachable", "fail",
       fmt::format("{} of {} nodes cannot reach the rendezvous port {} of {}: {}. Open TCP {} to {} (NetworkPolicy, "
                   "security group, that node's firewall)",
                   ways.size(), tried, roll.spec.master_port, who(roll.pods.front()), listed(ways),
                   roll.spec.master_port, roll.master_addr),
       ranks, "network"});
}

}  // namespace

Progress master_port(Roll& roll, TimePoint now) {
  const Pod& master = roll.pods.front();
  const auto port = roll.spec.master_port;
  if (roll.step == kListen) {
    const auto known = [port](const Pod& pod) {
      return pod.node_rank != 0 || (pod.master_port && pod.master_port->port == port &&
                                    (pod.master_port->listening || !pod.master_port->error.empty()));
    };
    if (!settled(roll, Stage::MasterPort, now, *master_port_due(roll), fmt::format("listened on port {}", port), known))
      return {};
    if (!master.silent && !master.master_port->listening) report_not_listening(roll, master);
    const auto result = by_findings(roll, Stage::MasterPort);
    if (result.outcome == Outcome::Failed || roll.nnodes() == 1) return result;
    next_step(roll, now);
  }
  if (!settled(roll, Stage::MasterPort, now, *master_port_due(roll),
               fmt::format("tried to reach port {} of node rank 0", port), reached_known))
    return {};
  report_unreachable(roll);
  return by_findings(roll, Stage::MasterPort);
}

Order master_port_order(const Roll& roll, const Pod& pod) {
  if (roll.step == kListen) {
    const bool done = pod.master_port && (pod.master_port->listening || !pod.master_port->error.empty());
    return {pod.node_rank == 0 && !done ? Step::ListenMaster : Step::Wait};
  }
  return {reached_known(pod) ? Step::Wait : Step::ReachMaster};
}

std::optional<TimePoint> master_port_due(const Roll& roll) {
  return roll.step_from + (roll.step == kReach ? kReachDeadline : kListenDeadline);
}

}  // namespace rollcall::roll_call::stages
