#pragma once

#include <functional>
#include <memory>
#include <string>

#include "probe/support/certificates.h"

namespace rollcall::probe::testing {

struct HttpRequest {
  std::string head;  ///< request line and headers
  std::string body;

  /// The value of `Authorization: Bearer …`.
  std::string token() const;
};

/// What goes back as it stands, so that tests can send anything; empty closes the connection without a reply.
std::string http_reply(int status, const std::string& body);

/// An HTTPS server on 127.0.0.1 with a thread a connection. `handler` may block, as a desk that holds a reply does.
class TlsServer {
 public:
  using Handler = std::function<std::string(const HttpRequest&)>;

  static std::unique_ptr<TlsServer> start(const KeyPair& pair, Handler handler);
  virtual ~TlsServer() = default;
  virtual int port() const = 0;
  virtual int connections() const = 0;  ///< handshakes done so far
};

}  // namespace rollcall::probe::testing
