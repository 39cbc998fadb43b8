#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "probe/exchange/wire.h"
#include "probe/net/listen.h"

namespace rollcall::probe {

/// Strangers can connect: everything one of them can take has a limit.
struct ExchangeServerLimits {
  /// At 64 nodes each peer keeps at most 16 connections in flight, spread over all nodes by the circle method; 512
  /// leaves room for all of them to come to one node at once.
  int connections = 512;
  /// A whole exchange is some round trips and at most 4 MiB; past this the client (3 s and 5 s) has long given up.
  std::chrono::milliseconds per_connection{10'000};
};

struct ExchangeServerOptions {
  ExchangeKind kind = ExchangeKind::Mesh;
  std::string nonce;
  int node_rank = 0;              ///< our own
  std::size_t payload_bytes = 0;  ///< each way; 0 = greetings only
  std::size_t large_bytes = 0;    ///< the same for a peer that greets with MeshLarge
  ExchangeServerLimits limits;
};

/// Serves exchanges on its listeners from one thread of its own until destroyed. Never closes an exchange first: a
/// stranger, an overdue connection and whatever is open at the end are reset, which leaves no TIME_WAIT on our ports.
class ExchangeServer {
 public:
  struct Counts {
    int served = 0;     ///< exchanges whose client closed after the server's last byte
    int strangers = 0;  ///< connections that did not greet as a peer of this round
  };

  static Result<std::unique_ptr<ExchangeServer>> start(std::vector<Listener> listeners, ExchangeServerOptions options);
  virtual ~ExchangeServer() = default;

  virtual std::vector<int> ports() const = 0;
  /// From any thread.
  virtual Counts counts() const = 0;
};

}  // namespace rollcall::probe
