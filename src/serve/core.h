#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
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
      handler_failures{0}, accept_errors{0}, strangers_evicted{0};
  std::atomic<std::size_t> body_bytes{0};  ///< of requests being read
  std::atomic<bool> draining{false};

  mutable std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false;  ///< io will not run again: nothing may be posted
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> connections;

  /// A place for a connection, or none.
  struct Place {
    std::uint64_t number = 0;  ///< 0 = none: the caller closes the socket
    /// Whose place it was: a stranger, to be aborted by the caller. Null when there was room.
    std::shared_ptr<Connection> loser;
  };
  /// A place for a connection of `peer`. At a limit a newcomer gets the place of the stranger that has been there
  /// longest: whoever opens connections and says nothing on them (or nothing that counts) keeps nobody out, whether it
  /// shares its address with the others or not. Those that are vouched for lose their place to nobody.
  Place admit(const std::string& peer) {
    const std::lock_guard lock(mutex);
    if (draining) return {};
    Count& of_peer = per_peer_[peer];
    Place place;
    const bool peer_full = of_peer.open - of_peer.leaving >= options.limits.connections_per_peer;
    if (peer_full || all_.open - all_.leaving >= options.limits.connections) {
      place.loser = evict(peer_full ? &peer : nullptr);
      if (!place.loser) {
        if (of_peer.open == 0) per_peer_.erase(peer);
        return {};
      }
    }
    ++of_peer.open;
    ++all_.open;
    place.number = ++last_number_;
    return place;
  }
  void enter(std::uint64_t number, const std::string& peer, const std::shared_ptr<Connection>& connection) {
    const std::lock_guard lock(mutex);
    connections.emplace(connection.get(), connection);
    strangers_.emplace(number, Stranger{peer, connection});
  }
  void vouch(std::uint64_t number) {
    const std::lock_guard lock(mutex);
    strangers_.erase(number);
  }
  /// Undoes one admit(); `connection` may be null when it never entered.
  void leave(std::uint64_t number, const Connection* connection, const std::string& peer) {
    const std::lock_guard lock(mutex);
    connections.erase(connection);
    strangers_.erase(number);
    const int was_leaving = static_cast<int>(evicted_.erase(number));
    Count& of_peer = per_peer_[peer];
    of_peer.leaving -= was_leaving;
    all_.leaving -= was_leaving;
    if (--of_peer.open <= 0) per_peer_.erase(peer);
    --all_.open;
    changed.notify_all();
  }
  int open() const {
    const std::lock_guard lock(mutex);
    return all_.open;
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
  struct Count {
    int open = 0;
    int leaving = 0;  ///< of them: evicted, not closed yet
  };
  struct Stranger {
    std::string peer;
    std::weak_ptr<Connection> connection;
  };

  /// Under the lock. The longest standing stranger, of this peer if one is given.
  std::shared_ptr<Connection> evict(const std::string* peer) {
    for (auto it = strangers_.begin(); it != strangers_.end(); ++it) {
      if (peer != nullptr && it->second.peer != *peer) continue;
      auto connection = it->second.connection.lock();
      if (!connection) continue;  // about to leave by itself
      evicted_.insert(it->first);
      ++per_peer_[it->second.peer].leaving;
      ++all_.leaving;
      ++strangers_evicted;
      strangers_.erase(it);
      return connection;
    }
    return nullptr;
  }

  std::uint64_t last_number_ = 0;
  Count all_;
  std::unordered_map<std::string, Count> per_peer_;
  std::map<std::uint64_t, Stranger> strangers_;  ///< by the order they came in
  std::unordered_set<std::uint64_t> evicted_;

  friend class ServerImpl;
};

}  // namespace rollcall::serve
