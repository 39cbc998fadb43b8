#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "probe/desk/tls.h"
#include "probe/net/address.h"

namespace rollcall::probe {

/// Posts answers to the desk over one kept-alive connection, made anew when needed. One thread.
class DeskClient {
 public:
  struct Options {
    SocketAddress desk;
    std::string name;
    std::string ca_pem;
    std::string token_file;                   ///< read for each post: the kubelet rotates it
    std::chrono::milliseconds connect{5000};  ///< TCP and TLS; three round trips
    /// The desk holds a reply for 10 s. A desk that stands still says nothing on a connection that stands: only this
    /// ends it, and the next connection is led to whoever leads by then.
    std::chrono::milliseconds reply{15'000};
  };

  explicit DeskClient(Options options) : options_(std::move(options)) {}

  /// The body of a 200 reply. Any other reply is an Error with the status as its code ("403") and the body's words;
  /// kInterrupted when `wake` was notified first (the desk may or may not have heard the answer: answers are
  /// repeatable).
  Result<std::string> post(const std::string& body, const Wake& wake);

 private:
  Result<std::string> post_once(const std::string& request, const Wake& wake);

  Options options_;
  std::unique_ptr<TlsConnection> connection_;
};

}  // namespace rollcall::probe
