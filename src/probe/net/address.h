#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace rollcall::probe {

/// A literal IP address and port; names are never looked up.
class SocketAddress {
 public:
  /// `ip` is IPv4 or IPv6 text without brackets; an Error names what is wrong with it.
  static Result<SocketAddress> of(const std::string& ip, int port);
  /// `10.96.3.4:443` or `[fd00::4]:443`.
  static Result<SocketAddress> parse(std::string_view text);

  int family() const { return storage_.ss_family; }
  int port() const;
  const sockaddr* raw() const;
  socklen_t length() const { return length_; }
  std::string to_string() const;  ///< `10.96.3.4:443`

 private:
  sockaddr_storage storage_{};
  socklen_t length_ = 0;
};

/// `ECONNREFUSED`, or `errno 999` for one without a name.
std::string errno_name(int error);
/// `Connection refused (ECONNREFUSED)`.
std::string errno_words(int error);

}  // namespace rollcall::probe
