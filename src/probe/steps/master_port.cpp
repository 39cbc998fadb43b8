#include "probe/steps/master_port.h"

#include "probe/steps/port_holder.h"

namespace rollcall::probe {

namespace {
constexpr int kBacklog = 2048;  // torch's, for its rendezvous listener
}

MasterPort listen_master(int port, const std::string& nonce) {
  MasterPort master;
  master.state.port = port;
  auto listener = listen_everywhere(port, kBacklog);
  if (!listener) {
    master.state.error = listener.error().code;
    if (listener.error().code == "EADDRINUSE") master.state.holder = port_holder(port);
    return master;
  }
  std::vector<Listener> listeners;
  listeners.push_back(std::move(listener).value());
  ExchangeServerOptions options;
  options.kind = ExchangeKind::MasterPort;
  options.nonce = nonce;
  options.node_rank = 0;
  auto server = ExchangeServer::start(std::move(listeners), std::move(options));
  if (!server) {
    master.state.error = server.error().message;
    return master;
  }
  master.server = std::move(server).value();
  master.state.listening = true;
  return master;
}

roll_call::Edge reach_master(const std::string& address, int port, const std::string& nonce, int node_rank,
                             const Wake& cancel) {
  ExchangeClientOptions options;
  options.kind = ExchangeKind::MasterPort;
  options.nonce = nonce;
  options.node_rank = node_rank;
  roll_call::Edge edge;
  edge.to = 0;
  edge.port = port;
  exchange_all({{0, address, port}}, options, cancel, [&edge](std::size_t, const ExchangeResult& result) {
    edge.outcome = result.outcome;
    edge.milliseconds = result.milliseconds;
    edge.detail = result.detail;
    edge.tried = 1;
    edge.failed = result.outcome == roll_call::EdgeOutcome::Ok ? 0 : 1;
  });
  return edge;
}

}  // namespace rollcall::probe
