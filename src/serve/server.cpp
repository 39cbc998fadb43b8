#include "serve/server.h"

#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/strand.hpp>
#include <thread>
#include <vector>

#include "serve/client_trust.h"
#include "serve/session.h"
#include "serve/tls.h"

namespace rollcall::serve {
namespace {

/// Pause after an accept that failed for want of something (descriptors, memory): trying at once would spin.
constexpr std::chrono::milliseconds kAcceptPause{100};

std::string address_text(const tcp::endpoint& endpoint) {
  const auto address = endpoint.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

Status listen_on(tcp::acceptor& acceptor, const std::string& address_text, std::uint16_t port) {
  ErrorCode ec;
  const auto address = asio::ip::make_address(address_text, ec);
  if (ec) return Error{"listening address " + address_text + ": " + ec.message()};
  const tcp::endpoint endpoint(address, port);
  const auto failed = [&](const char* what) {
    acceptor.close();
    return Error{std::string(what) + " " + (address.is_v6() ? "[" + address_text + "]" : address_text) + ":" +
                 std::to_string(port) + ": " + ec.message()};
  };
  acceptor.open(endpoint.protocol(), ec);
  if (ec) return failed("opening a socket for");
  acceptor.set_option(asio::socket_base::reuse_address(true), ec);
  if (ec) return failed("SO_REUSEADDR on");
  if (address.is_v6()) {
    acceptor.set_option(asio::ip::v6_only(false), ec);
    if (ec) return failed("dual stack on");
  }
  acceptor.bind(endpoint, ec);
  if (ec) return failed("binding");
  acceptor.listen(asio::socket_base::max_listen_connections, ec);
  if (ec) return failed("listening on");
  return Done{};
}

}  // namespace

class ServerImpl final : public Server {
 public:
  ServerImpl(const Options& options, Handler handler)
      : core_(std::make_shared<Core>(options, std::move(handler))),
        acceptor_(asio::make_strand(core_->io)),
        pause_(acceptor_.get_executor()) {}

  ~ServerImpl() override { stop(std::chrono::milliseconds(0)); }

  Status begin() {
    const Options& options = core_->options;
    if (!options.certificate_file.empty()) {
      if (auto loaded = reload_certificate(); !loaded) return loaded;
    }
    Status listening = listen_on(acceptor_, options.address, options.port);
    if (!listening && options.address == "::") {
      // No IPv6 on this machine; say the IPv6 error only if IPv4 fails too.
      if (auto v4 = listen_on(acceptor_, "0.0.0.0", options.port); !v4)
        return Error{listening.error().message + "; " + v4.error().message};
    } else if (!listening) {
      return listening;
    }
    ErrorCode ec;
    port_ = acceptor_.local_endpoint(ec).port();
    if (ec) return Error{"the listening socket's address: " + ec.message()};
    asio::post(acceptor_.get_executor(), [this] { accept(); });
    for (int i = 0; i < std::max(1, options.threads); ++i) threads_.emplace_back([this] { run(); });
    return Done{};
  }

  std::uint16_t port() const override { return port_; }
  int open_connections() const override { return core_->open(); }

  Counters counters() const override {
    const Core& c = *core_;
    return {c.accepted,     c.refused,          c.handshakes_failed, c.timed_out,        c.requests,
            c.bad_requests, c.handler_failures, c.accept_errors,     c.strangers_evicted};
  }

  Status reload_certificate() override {
    if (core_->options.certificate_file.empty()) return Error{"this server speaks plain HTTP: it has no certificate"};
    auto made = make_tls_context(core_->options.certificate_file, core_->options.key_file);
    if (!made) return made.error();
    if (!core_->options.client_ca_file.empty()) {
      const auto asked = require_clients(**made, core_->options.client_ca_file, core_->options.client_names);
      if (!asked) return asked.error();
    }
    const std::lock_guard lock(tls_mutex_);
    tls_ = *made;
    return Done{};
  }

  std::optional<std::chrono::system_clock::time_point> certificate_end() const override {
    const std::lock_guard lock(tls_mutex_);
    return tls_ ? std::optional(end_of_certificate(*tls_)) : std::nullopt;
  }

  void stop(std::chrono::milliseconds grace) override {
    if (std::exchange(stopped_, true)) return;
    core_->draining = true;
    asio::post(acceptor_.get_executor(), [this] {
      ErrorCode ignored;  // of a socket we are done with
      acceptor_.close(ignored);
      pause_.cancel();
    });
    for (const auto& connection : connections()) connection->drain();
    wait_for_none(grace);
    for (const auto& connection : connections()) connection->abort();
    wait_for_none(kAbortTime);
    {
      const std::lock_guard lock(core_->mutex);
      core_->stopped = true;
    }
    work_.reset();
    core_->io.stop();
    for (auto& thread : threads_) thread.join();
    // Handlers still queued hold their connections, and these hold the queue: let them run out.
    core_->io.restart();
    core_->io.poll();
  }

 private:
  static constexpr std::chrono::seconds kAbortTime{2};

  void run() {
    for (;;) {
      try {
        core_->io.run();
        return;
      } catch (const std::exception& e) {
        core_->report(std::string("a connection's work threw: ") + e.what());
      }
    }
  }

  void accept() {
    if (core_->draining) return;
    acceptor_.async_accept(asio::make_strand(core_->io), [this](ErrorCode ec, tcp::socket socket) {
      if (core_->draining) return;
      if (ec) return accept_failed(ec);
      take(std::move(socket));
      accept();
    });
  }

  void accept_failed(ErrorCode ec) {
    core_->accept_errors++;
    core_->report("accepting a connection: " + ec.message());
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](ErrorCode) { accept(); });
  }

  void take(tcp::socket socket) {
    ErrorCode ec;
    const auto endpoint = socket.remote_endpoint(ec);
    if (ec) return;  // gone before we looked
    // Without it a small reply waits for the peer's delayed acknowledgement: 40 ms on each new connection.
    socket.set_option(tcp::no_delay(true), ec);
    const std::string peer = address_text(endpoint);
    const auto place = core_->admit(peer);
    if (place.number == 0) {
      core_->refused++;
      return;
    }
    if (place.loser) place.loser->abort();
    core_->accepted++;
    bool owned = false;  // a session gives its place back itself
    try {
      std::shared_ptr<asio::ssl::context> tls;
      {
        const std::lock_guard lock(tls_mutex_);
        tls = tls_;
      }
      if (tls) {
        auto session = std::make_shared<Session<TlsStream>>(core_, place.number, peer, tls, std::move(socket), *tls);
        owned = true;
        core_->enter(place.number, peer, session);
        session->start();
      } else {
        auto session = std::make_shared<Session<PlainStream>>(core_, place.number, peer, nullptr, std::move(socket));
        owned = true;
        core_->enter(place.number, peer, session);
        session->start();
      }
    } catch (const std::exception& e) {
      if (!owned) core_->leave(place.number, nullptr, peer);
      core_->report(std::string("taking a connection: ") + e.what());
    }
  }

  std::vector<std::shared_ptr<Connection>> connections() const {
    const std::lock_guard lock(core_->mutex);
    std::vector<std::shared_ptr<Connection>> all;
    for (const auto& [raw, weak] : core_->connections)
      if (auto connection = weak.lock()) all.push_back(std::move(connection));
    return all;
  }

  void wait_for_none(std::chrono::milliseconds longest) {
    std::unique_lock lock(core_->mutex);
    core_->changed.wait_for(lock, longest, [this] { return core_->all_.open == 0; });
  }

  const std::shared_ptr<Core> core_;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_{core_->io.get_executor()};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::uint16_t port_ = 0;
  bool stopped_ = false;
  mutable std::mutex tls_mutex_;
  std::shared_ptr<asio::ssl::context> tls_;
  std::vector<std::thread> threads_;
};

Result<std::unique_ptr<Server>> Server::start(const Options& options, Handler handler) {
  try {
    auto server = std::make_unique<ServerImpl>(options, std::move(handler));
    if (auto begun = server->begin(); !begun) return begun.error();
    return std::unique_ptr<Server>(std::move(server));
  } catch (const std::exception& e) {
    return Error{std::string("starting the server: ") + e.what()};
  }
}

}  // namespace rollcall::serve
