#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "serve/server.h"

namespace rollcall::serve {

/// One connection as the server sees it; every call may come from any thread.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void drain() = 0;  ///< close when idle, else after the reply in the making
  virtual void abort() = 0;  ///< close now
};

/// What the connections of one server share. Outlives them: each holds it.
struct Core {
  Core(Options opts, Handler on_request) : options(std::move(opts)), handler(std::move(on_request)) {}

  const Options options;
  const Handler handler;
  boost::asio::io_context io;

  std::atomic<std::uint64_t> accepted{0}, refused{0}, handshakes_failed{0}, timed_out{0}, requests{0}, bad_requests{0},
      handler_failures{0}, accept_errors{0};
  std::atomic<std::size_t> body_bytes{0};  ///< of requests being read
  std::atomic<bool> draining{false};

  mutable std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false;  ///< io will not run again: nothing may be posted
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> connections;
  std::unordered_map<std::string, int> per_peer;

  /// False when a limit is reached or the server is stopping: the caller closes the socket.
  bool admit(const std::string& peer) {
    const std::lock_guard lock(mutex);
    if (draining || open_ >= options.limits.connections) return false;
    int& of_peer = per_peer[peer];
    if (of_peer >= options.limits.connections_per_peer) return false;
    ++of_peer;
    ++open_;
    return true;
  }
  void enter(const std::shared_ptr<Connection>& connection) {
    const std::lock_guard lock(mutex);
    connections.emplace(connection.get(), connection);
  }
  /// Undoes one admit(); `connection` may be null when it never entered.
  void leave(const Connection* connection, const std::string& peer) {
    const std::lock_guard lock(mutex);
    connections.erase(connection);
    if (auto it = per_peer.find(peer); it != per_peer.end() && --it->second <= 0) per_peer.erase(it);
    --open_;
    changed.notify_all();
  }
  int open() const {
    const std::lock_guard lock(mutex);
    return open_;
  }
  void report(const std::string& what) const noexcept {
    if (!options.on_error) return;
    try {
      options.on_error(what);
    } catch (...) {  // NOLINT: nothing is left to tell
    }
  }
  /// Takes `bytes` of the budget for bodies in flight; false when it is used up.
  bool take_body(std::size_t bytes) {
    if (body_bytes.fetch_add(bytes) + bytes <= options.limits.body_bytes_in_flight) return true;
    body_bytes.fetch_sub(bytes);
    return false;
  }
  void give_body(std::size_t bytes) { body_bytes.fetch_sub(bytes); }

 private:
  int open_ = 0;

  friend class ServerImpl;
};

}  // namespace rollcall::serve
