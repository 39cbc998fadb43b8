#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

/// An HTTP/1.1 server over TLS (or plain, for health and metrics) with limits on everything a stranger can send.
/// Boost.Beast stays behind server.cpp.
namespace rollcall::serve {

struct Request {
  std::string method;
  std::string target;         ///< path and query as sent
  std::string authorization;  ///< value of the header, or empty
  std::string content_type;
  std::string body;
  std::string peer;  ///< remote address without port; an IPv4 peer of a dual-stack socket in dotted form
  /// Vouches for the connection at once (Response::vouched does when the reply goes out): for a handler that holds
  /// replies. Any thread.
  std::function<void()> vouch = {};
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::map<std::string, std::string> headers;
  bool close = false;  ///< the connection ends with this reply, so that the client's next one may lead elsewhere
  /// The handler knows who asked, so that the connection keeps its place when the server is full; see Limits. A handler
  /// that cannot tell callers apart leaves it so: who asked anything is told from who only connected.
  bool vouched = true;
};

/// Answers one request: may be called from any thread, once; a second call and a call after the connection ended do
/// nothing. Dropped without a call, the client gets 500.
using Respond = std::function<void(Response)>;
/// Runs on a server thread; must not block. To hold a reply keep `respond` and return. An exception becomes 500.
using Handler = std::function<void(Request, Respond)>;

struct Limits {
  std::size_t header_bytes = 16 * 1024;  ///< above it 431
  std::size_t body_bytes = 512 * 1024;   ///< twice the largest answer; above it 413, before the body is read
  /// Bodies being read at one time, all connections together; above it 503. 1,000 nodes answering at once with 8 KiB
  /// each need 8 MiB; without it 4,000 strangers could each park half a MiB here.
  std::size_t body_bytes_in_flight = 64 * 1024 * 1024;
  std::chrono::milliseconds handshake{5'000};
  std::chrono::milliseconds read{
      10'000};  ///< a whole request, from its first byte; also to the first byte of the first
  std::chrono::milliseconds idle{60'000};     ///< between requests
  std::chrono::milliseconds respond{30'000};  ///< for a held reply; then 503 is sent in its place
  std::chrono::milliseconds write{10'000};
  /// At these two a new connection takes the place of the oldest that nobody vouched for; when all are vouched for it
  /// is closed at once. Pods of one node may share its address, and a node has at most some 110 pods.
  int connections = 4000;
  int connections_per_peer = 200;
};

/// What the server has seen since its start.
struct Counters {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;            ///< closed at once: over a connection limit
  std::uint64_t handshakes_failed = 0;  ///< also those that never began
  std::uint64_t timed_out = 0;          ///< connections ended by a deadline
  std::uint64_t requests = 0;           ///< handed to the handler
  std::uint64_t bad_requests = 0;       ///< refused here: not HTTP, too large
  std::uint64_t handler_failures = 0;   ///< handler threw, or let go of a reply
  std::uint64_t accept_errors = 0;      ///< out of descriptors and the like
  std::uint64_t evicted = 0;            ///< strangers that lost their place to a newcomer
};

struct Options {
  std::string address = "::";  ///< dual stack; falls back to 0.0.0.0 where IPv6 is off
  std::uint16_t port = 0;      ///< 0 = any
  int threads = 2;
  std::string certificate_file;  ///< PEM chain; empty = plain HTTP
  std::string key_file;
  /// PEM of the authorities that sign the clients' certificates; empty = no certificate is asked for. Read again with
  /// the server's own.
  std::string client_ca_file = {};
  std::vector<std::string> client_names = {};  ///< common names or DNS names let in; empty = all of that authority
  Limits limits = {};
  /// Told what the server itself could not do (a handler that threw, no descriptors left); any thread, must not block.
  std::function<void(const std::string&)> on_error = {};
};

class Server {
 public:
  /// An Error names the address or the file it could not use.
  static Result<std::unique_ptr<Server>> start(const Options& options, Handler handler);
  virtual ~Server() = default;

  virtual std::uint16_t port() const = 0;
  /// Reads certificate and key again; new connections use them. On error the old pair stays and the Error says why.
  virtual Status reload_certificate() = 0;
  /// When the certificate that is served expires; nullopt for plain HTTP.
  virtual std::optional<std::chrono::system_clock::time_point> certificate_end() const = 0;
  virtual int open_connections() const = 0;
  virtual Counters counters() const = 0;
  /// No new connections; those in flight have `grace` to end, idle ones are closed. Returns when all ended. Called
  /// once, not from a handler. The destructor stops without grace.
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace rollcall::serve
