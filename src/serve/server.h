#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

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
  std::string peer;  ///< remote address without port
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::map<std::string, std::string> headers;
};

/// Answers one request: may be called from any thread, once; a second call and a call after the connection ended do
/// nothing. Dropped without a call, the client gets 500.
using Respond = std::function<void(Response)>;
/// Runs on a server thread; must not block. To hold a reply keep `respond` and return.
using Handler = std::function<void(Request, Respond)>;

struct Limits {
  std::size_t header_bytes = 16 * 1024;
  std::size_t body_bytes = 512 * 1024;  ///< twice the largest answer
  std::chrono::seconds handshake{5};
  std::chrono::seconds read{10};     ///< a whole request, from its first byte
  std::chrono::seconds idle{60};     ///< between requests
  std::chrono::seconds respond{30};  ///< for a held reply
  std::chrono::seconds write{10};
  int connections = 4000;  ///< above it new ones are closed at once
  int connections_per_peer = 200;
};

struct Options {
  std::string address = "::";  ///< dual stack; falls back to 0.0.0.0 where IPv6 is off
  std::uint16_t port = 0;      ///< 0 = any
  int threads = 2;
  std::string certificate_file;  ///< PEM chain; empty = plain HTTP
  std::string key_file;
  Limits limits;
};

class Server {
 public:
  static Result<std::unique_ptr<Server>> start(const Options& options, Handler handler);
  virtual ~Server() = default;

  virtual std::uint16_t port() const = 0;
  /// Reads certificate and key again; new connections use them. On error the old pair stays and the Error says why.
  virtual Status reload_certificate() = 0;
  virtual int open_connections() const = 0;
  /// No new connections; those in flight have `grace` to end. Returns when all ended. Called once.
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace rollcall::serve
