#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "probe/net/address.h"
#include "probe/net/wake.h"

namespace rollcall::probe {

/// The code of an Error that says: nothing went wrong, the caller's Wake was notified.
inline constexpr auto kInterrupted = "interrupted";

/// One TLS connection (1.2 or later) to a literal address, its certificate verified against given authorities and for a
/// given name. No configuration file, no system trust, no name lookup. Every call has a deadline and ends early when
/// `wake` is notified (Error.code kInterrupted). One thread at a time.
class TlsConnection {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  /// `ca_pem` holds one or more certificates.
  static Result<std::unique_ptr<TlsConnection>> connect(const SocketAddress& address, const std::string& name,
                                                        const std::string& ca_pem, Deadline deadline, const Wake& wake);
  virtual ~TlsConnection() = default;

  virtual Status write(std::string_view bytes, Deadline deadline, const Wake& wake) = 0;
  /// At least one byte, at most `most`; empty when the desk closed the connection.
  virtual Result<std::string> read(std::size_t most, Deadline deadline, const Wake& wake) = 0;
};

}  // namespace rollcall::probe
