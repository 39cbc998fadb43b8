#include "probe/exchange/server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <list>
#include <system_error>
#include <thread>

#include "probe/net/address.h"
#include "probe/net/wake.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

using Clock = std::chrono::steady_clock;

/// So that a flood of new connections does not keep those that are there from going on.
constexpr int kAcceptsAtOnce = 64;

/// One accepted connection; moves forward as far as its socket lets it.
struct Connection {
  enum class State { ReadingGreeting, ReadingPayload, Writing, AwaitingClose, Ended };

  Fd fd;
  Clock::time_point deadline;
  State state = State::ReadingGreeting;
  GreetingBytes greeting{};
  std::size_t payload = 0;  // each way
  std::size_t read = 0;     // of the greeting, then of the payload
  std::string to_write;     // our greeting
  std::size_t written = 0;
  bool greeted = false;

  bool wants_write() const { return state == State::Writing; }
};

class Server final : public ExchangeServer {
 public:
  Server(std::vector<Listener> listeners, ExchangeServerOptions options)
      : listeners_(std::move(listeners)), options_(std::move(options)) {}

  ~Server() override {
    stop_.notify();
    if (thread_.joinable()) thread_.join();
    // Connections first, by reset; a listener's close then leaves nothing.
    for (auto& connection : connections_) close_by_reset(connection.fd);
  }

  Status begin() {
    try {
      thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error& error) {  // a pids limit
      return Error{text("starting a thread: ", error.what())};
    }
    return Done{};
  }

  std::vector<int> ports() const override {
    std::vector<int> ports;
    for (const auto& listener : listeners_) ports.push_back(listener.port);
    return ports;
  }

  Counts counts() const override { return {served_.load(), strangers_.load()}; }

 private:
  void serve() {
    std::vector<pollfd> polled;
    while (true) {
      polled.clear();
      polled.push_back({stop_.fd(), POLLIN, 0});
      for (const auto& listener : listeners_) polled.push_back({listener.fd.get(), POLLIN, 0});
      auto next = Clock::now() + std::chrono::hours(1);
      for (const auto& connection : connections_) {
        polled.push_back({connection.fd.get(), static_cast<short>(connection.wants_write() ? POLLOUT : POLLIN), 0});
        next = std::min(next, connection.deadline);
      }
      const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
      if (::poll(polled.data(), polled.size(), static_cast<int>(std::max<std::int64_t>(wait, 0))) < 0 && errno != EINTR)
        return;
      if ((polled[0].revents & POLLIN) != 0) return;

      std::size_t at = 1 + listeners_.size();
      for (auto& connection : connections_) {
        if (polled[at++].revents != 0) advance(connection);
        if (connection.state != Connection::State::Ended && Clock::now() >= connection.deadline)
          end(connection, !connection.greeted);
      }
      connections_.remove_if([](const Connection& c) { return c.state == Connection::State::Ended; });
      for (std::size_t i = 0; i < listeners_.size(); ++i) {
        if (polled[1 + i].revents != 0) accept_from(listeners_[i]);
      }
    }
  }

  void accept_from(const Listener& listener) {
    for (int accepted = 0; accepted < kAcceptsAtOnce; ++accepted) {
      Fd fd(::accept4(listener.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!fd.valid()) {
        // Out of descriptors the listener stays readable: without a pause this thread would spin. The peer sees it
        // stall.
        if (errno == EMFILE || errno == ENFILE) stop_.wait_for(std::chrono::milliseconds(50));
        return;
      }
      make_room();
      if (static_cast<int>(connections_.size()) >= options_.limits.connections) {
        close_by_reset(fd);
        continue;
      }
      Connection& connection = connections_.emplace_back();
      connection.fd = std::move(fd);
      connection.deadline = Clock::now() + options_.limits.per_connection;
      advance(connection);
    }
  }

  /// Full of connections that have not greeted: the oldest of them goes, so that strangers cannot keep peers out.
  void make_room() {
    if (static_cast<int>(connections_.size()) < options_.limits.connections) return;
    const auto oldest =
        std::find_if(connections_.begin(), connections_.end(), [](const Connection& c) { return !c.greeted; });
    if (oldest == connections_.end()) return;
    end(*oldest, true);
    connections_.erase(oldest);
  }

  void end(Connection& connection, bool stranger) {
    if (stranger) ++strangers_;
    close_by_reset(connection.fd);
    connection.state = Connection::State::Ended;
  }

  void advance(Connection& c) {
    using State = Connection::State;
    while (true) {
      switch (c.state) {
        case State::ReadingGreeting:
          if (!read_into(c, c.greeting.data(), c.greeting.size())) return;
          if (!greet(c)) return end(c, true);
          break;
        case State::ReadingPayload:
          if (!read_payload(c)) return;
          break;
        case State::Writing:
          if (!write_reply(c)) return;
          break;
        case State::AwaitingClose:
          return await_close(c);
        case State::Ended:
          return;
      }
    }
  }

  /// True when `size` bytes have come; false to wait, or ended.
  bool read_into(Connection& c, unsigned char* into, std::size_t size) {
    while (c.read < size) {
      const auto got = ::recv(c.fd.get(), into + c.read, size - c.read, 0);
      if (got > 0) {
        c.read += static_cast<std::size_t>(got);
      } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
      } else {
        end(c, !c.greeted);
        return false;
      }
    }
    return true;
  }

  bool greet(Connection& c) {
    const auto greeting = decode(c.greeting, options_.nonce);
    if (!greeting || greeting->side != ExchangeSide::Client || greeting->to != options_.node_rank) return false;
    if (greeting->kind == options_.kind) {
      c.payload = options_.payload_bytes;
    } else if (options_.kind == ExchangeKind::Mesh && greeting->kind == ExchangeKind::MeshLarge) {
      c.payload = options_.large_bytes;
    } else if (options_.kind != ExchangeKind::Mesh || greeting->kind != ExchangeKind::MeshGreeting) {
      return false;
    }
    c.greeted = true;
    const auto bytes =
        encode({greeting->kind, ExchangeSide::Server, options_.node_rank, greeting->from}, options_.nonce);
    c.to_write.assign(bytes.begin(), bytes.end());
    c.read = 0;
    c.state = Connection::State::Writing;
    return true;
  }

  /// Our greeting first, then (once the client's payload is here) our payload.
  bool write_reply(Connection& c) {
    const bool greeting_sent = c.to_write.empty();
    const std::size_t whole = greeting_sent ? c.payload : c.to_write.size();
    while (c.written < whole) {
      const auto what = greeting_sent ? payload_from(ExchangeSide::Server, c.written, whole - c.written)
                                      : std::string_view(c.to_write).substr(c.written);
      const auto sent = ::send(c.fd.get(), what.data(), what.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        c.written += static_cast<std::size_t>(sent);
      } else if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
      } else {
        end(c, false);
        return false;
      }
    }
    c.written = 0;
    if (greeting_sent) {
      c.state = Connection::State::AwaitingClose;
    } else {
      c.to_write.clear();
      c.state = c.payload > 0 ? Connection::State::ReadingPayload : Connection::State::AwaitingClose;
    }
    return true;
  }

  bool read_payload(Connection& c) {
    unsigned char buffer[16384];
    while (c.read < c.payload) {
      const auto expected = payload_from(ExchangeSide::Client, c.read, c.payload - c.read);
      const auto got = ::recv(c.fd.get(), buffer, std::min(sizeof buffer, expected.size()), 0);
      if (got > 0) {
        const auto size = static_cast<std::size_t>(got);
        if (std::memcmp(buffer, expected.data(), size) != 0) {
          end(c, false);
          return false;
        }
        c.read += size;
      } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
      } else {
        end(c, false);
        return false;
      }
    }
    c.state = Connection::State::Writing;
    return true;
  }

  void await_close(Connection& c) {
    char byte = 0;
    const auto got = ::recv(c.fd.get(), &byte, 1, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got > 0) return end(c, false);  // more than the exchange has
    ++served_;
    c.fd.reset();  // the client closed or reset first: a plain close leaves nothing here
    c.state = Connection::State::Ended;
  }

  std::vector<Listener> listeners_;
  const ExchangeServerOptions options_;
  std::list<Connection> connections_;
  std::atomic<int> served_{0};
  std::atomic<int> strangers_{0};
  Wake stop_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<ExchangeServer>> ExchangeServer::start(std::vector<Listener> listeners,
                                                              ExchangeServerOptions options) {
  auto server = std::make_unique<Server>(std::move(listeners), std::move(options));
  if (auto begun = server->begin(); !begun) return begun.error();
  return std::unique_ptr<ExchangeServer>(std::move(server));
}

}  // namespace rollcall::probe
