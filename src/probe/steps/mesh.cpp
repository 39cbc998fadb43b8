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
  options.large_bytes = kMeshLargeBytes;
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

std::size_t EdgeTally::first_ports() const {
  return static_cast<std::size_t>(
      std::count_if(lines_.begin(), lines_.end(), [](const Line& line) { return line.expected > 0; }));
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
  PeerTimes times(peers);
  const auto over = std::chrono::steady_clock::now() + options.overall;
  // The payload goes to one port of each peer: a path that loses large packets does so whatever the port, and 64 nodes
  // would move 2 GB on one machine's bridge else. A port that is blocked does not even greet.
  const std::size_t first = tally.first_ports();
  const auto all = tally.targets();
  const auto run = [&](std::size_t from, std::size_t to) {
    options.overall = std::chrono::ceil<std::chrono::milliseconds>(over - std::chrono::steady_clock::now());
    exchange_all({all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to)},
                 options, cancel, [&](std::size_t target, const ExchangeResult& result) {
                   tally.add(from + target, result);
                   times.add(all[from + target].to, result);
                   progress(tally.state());
                 });
  };
  run(0, first);
  options.kind = ExchangeKind::MeshGreeting;
  options.payload_bytes = 0;
  if (!cancel.notified()) run(first, all.size());
  auto state = tally.state();

  // One large exchange at a time or two: more would fill this node's link by themselves and find the loss they make.
  options.kind = ExchangeKind::MeshLarge;
  options.payload_bytes = kMeshLargeBytes;
  options.in_flight = 2;
  for (int pass = 0; pass < kLargePasses; ++pass) {
    const auto targets = times.to_measure(state, pass);
    options.overall = std::chrono::duration_cast<std::chrono::milliseconds>(over - std::chrono::steady_clock::now());
    if (cancel.notified() || targets.empty() || options.overall <= std::chrono::milliseconds::zero()) break;
    exchange_all(targets, options, cancel, [&](std::size_t target, const ExchangeResult& result) {
      times.add_large(targets[target].to, result);
    });
  }
  state.times = times.told();
  state.done = !cancel.notified();
  return state;
}

}  // namespace rollcall::probe
