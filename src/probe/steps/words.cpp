#include "probe/steps/words.h"

#include <algorithm>
#include <cmath>

#include "probe/text.h"

namespace rollcall::probe {
namespace {

using roll_call::EdgeOutcome;

/// Failed edges one log message names; the desk names them all, by node.
constexpr std::size_t kMaxNamed = 8;

/// One decimal.
double rounded(double milliseconds) { return std::round(milliseconds * 10) / 10; }

const char* verb_for(EdgeOutcome outcome) {
  switch (outcome) {
    case EdgeOutcome::Ok:
      return "answers";
    case EdgeOutcome::Dropped:
      return "does not answer our connection requests";
    case EdgeOutcome::Refused:
      return "refuses our connections";
    case EdgeOutcome::NoRoute:
      return "cannot be reached";
    case EdgeOutcome::Stalled:
      return "takes connections, but data does not come through";
    case EdgeOutcome::WrongPeer:
      return "is answered for by something that is not its probe";
    case EdgeOutcome::LocalError:
      return "could not be tried";
  }
  return "";
}

}  // namespace

std::string words_for(const roll_call::MasterPortState& state) {
  if (state.listening) return text("master port: listening on ", state.port, " as the trainer will");
  if (state.error == "EADDRINUSE") {
    return text(
        "master port: ", state.port, " is in use on this node",
        state.holder.empty() ? std::string(" (the holder cannot be seen from this container)") : " by " + state.holder,
        "; end that process, or give the job another spec.rendezvous.port");
  }
  if (state.error == "EACCES") {
    return text("master port: this user may not listen on ", state.port,
                " (EACCES); use a port of 1024 or above in spec.rendezvous.port");
  }
  return text("master port: cannot listen on ", state.port, ": ", state.error);
}

std::string words_for_reach(const roll_call::Edge& edge, const std::string& address) {
  const auto where = text("node rank 0's master port ", address, ":", edge.port);
  if (edge.outcome == EdgeOutcome::Ok)
    return text("master port: reached ", where, " in ", rounded(edge.milliseconds), " ms");
  return text("master port: ", where, " ", verb_for(edge.outcome), ": ", edge.detail);
}

std::string words_for(const roll_call::MeshState& state, const std::vector<roll_call::Peer>& peers) {
  std::string words = text("mesh: ", state.ok, " of ", peers.size(),
                           " peers exchanged 64 KiB both ways with us and answered on every ephemeral port tried");
  if (state.ok > 0) words += text(", the slowest in ", rounded(state.slowest_ms), " ms");
  for (std::size_t i = 0; i < std::min(state.failed.size(), kMaxNamed); ++i) {
    const auto& edge = state.failed[i];
    const auto peer = std::find_if(peers.begin(), peers.end(), [&](const auto& p) { return p.node_rank == edge.to; });
    words += text("\nnode rank ", edge.to, peer == peers.end() ? std::string() : text(" (", peer->address, ")"), " ",
                  verb_for(edge.outcome), ": ", edge.failed, " of ", edge.tried,
                  " ephemeral ports failed, one of them ", edge.port, ": ", edge.detail);
  }
  if (state.failed.size() > kMaxNamed) words += text("\n… and ", state.failed.size() - kMaxNamed, " more");
  return words;
}

}  // namespace rollcall::probe
