#include "probe/steps/mesh.h"

#include <algorithm>

namespace rollcall::probe {
namespace {

/// Enough for every connection 16 peers can have in flight at once; the kernel caps it at somaxconn.
constexpr int kBacklog = 1024;

/// When the ports of one peer end differently, the edge tells the outcome that says most about the cause.
int weight(roll_call::EdgeOutcome outcome) {
  using roll_call::EdgeOutcome;
  switch (outcome) {
    case EdgeOutcome::Ok:
      return 0;
    case EdgeOutcome::LocalError:
      return 1;
    case EdgeOutcome::Refused:
      return 2;
    case EdgeOutcome::WrongPeer:
      return 3;
    case EdgeOutcome::NoRoute:
      return 4;
    case EdgeOutcome::Stalled:
      return 5;
    case EdgeOutcome::Dropped:
      return 6;
  }
  return 0;
}

}  // namespace

Result<std::unique_ptr<ExchangeServer>> listen_mesh(const std::string& nonce, int node_rank) {
  std::vector<Listener> listeners;
  for (int i = 0; i < roll_call::kMeshPorts; ++i) {
    auto listener = listen_everywhere(0, kBacklog);
    if (!listener) return listener.error().in("opening an ephemeral port");
    listeners.push_back(std::move(listener).value());
  }
  ExchangeServerOptions options;
  options.kind = ExchangeKind::Mesh;
  options.nonce = nonce;
  options.node_rank = node_rank;
  options.payload_bytes = roll_call::kMeshPayloadBytes;
  return ExchangeServer::start(std::move(listeners), std::move(options));
}

std::chrono::milliseconds mesh_deadline(std::size_t peers) {
  return std::chrono::milliseconds(10'000 + 20 * static_cast<std::int64_t>(peers));
}

EdgeTally::EdgeTally(const std::vector<roll_call::Peer>& peers) {
  std::size_t most = 0;
  for (const auto& peer : peers) {
    Line line;
    line.edge.to = peer.node_rank;
    line.expected = static_cast<int>(peer.ports.size());
    lines_.push_back(line);
    most = std::max(most, peer.ports.size());
  }
  for (std::size_t k = 0; k < most; ++k) {
    for (std::size_t i = 0; i < peers.size(); ++i) {
      if (k >= peers[i].ports.size()) continue;
      targets_.push_back({peers[i].node_rank, peers[i].address, peers[i].ports[k]});
      line_of_.push_back(i);
    }
  }
}

void EdgeTally::add(std::size_t target, const ExchangeResult& result) {
  auto& edge = lines_[line_of_[target]].edge;
  ++edge.tried;
  edge.milliseconds = std::max(edge.milliseconds, result.milliseconds);
  if (result.outcome == roll_call::EdgeOutcome::Ok) return;
  ++edge.failed;
  if (weight(result.outcome) <= weight(edge.outcome)) return;
  edge.outcome = result.outcome;
  edge.port = targets_[target].port;
  edge.detail = result.detail;
}

roll_call::MeshState EdgeTally::state() const {
  roll_call::MeshState state;
  for (const auto& line : lines_) {
    if (line.edge.tried < line.expected) continue;
    ++state.attempted;
    if (line.expected == 0) {
      // The desk named a peer without ports: nothing was tried, so nothing is passed.
      auto edge = line.edge;
      edge.outcome = roll_call::EdgeOutcome::LocalError;
      edge.detail = "the desk named no ports of this peer";
      if (state.failed.size() < roll_call::kMaxEdges) state.failed.push_back(edge);
    } else if (line.edge.failed == 0) {
      ++state.ok;
      state.slowest_ms = std::max(state.slowest_ms, line.edge.milliseconds);
    } else if (state.failed.size() < roll_call::kMaxEdges) {
      state.failed.push_back(line.edge);
    }
  }
  return state;
}

roll_call::MeshState connect_mesh(const std::vector<roll_call::Peer>& peers, const std::string& nonce, int node_rank,
                                  const Wake& cancel,
                                  const std::function<void(const roll_call::MeshState&)>& progress) {
  EdgeTally tally(peers);
  ExchangeClientOptions options;
  options.kind = ExchangeKind::Mesh;
  options.nonce = nonce;
  options.node_rank = node_rank;
  options.payload_bytes = roll_call::kMeshPayloadBytes;
  options.overall = mesh_deadline(peers.size());
  exchange_all(tally.targets(), options, cancel, [&](std::size_t target, const ExchangeResult& result) {
    tally.add(target, result);
    progress(tally.state());
  });
  auto state = tally.state();
  state.done = !cancel.notified();
  return state;
}

}  // namespace rollcall::probe
