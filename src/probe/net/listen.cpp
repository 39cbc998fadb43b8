#include "probe/net/listen.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "probe/net/address.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

Error failed(const char* what, int port, int error) {
  return {text(what, " port ", port, ": ", errno_words(error)), errno_name(error)};
}

template <typename Address>
Result<Listener> bind_and_listen(int family, const Address& address, int port, int backlog) {
  Fd fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return failed("opening a socket for", port, errno);
  const int on = 1;
  const int off = 0;
  if (::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) return failed("preparing", port, errno);
  if (family == AF_INET6 && ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0) {
    return failed("preparing", port, errno);
  }
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failed("binding", port, errno);
  if (::listen(fd.get(), backlog) != 0) return failed("listening on", port, errno);

  Address bound{};
  socklen_t length = sizeof bound;
  if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&bound), &length) != 0)
    return failed("asking for", port, errno);
  std::uint16_t network_order = 0;
  if constexpr (std::is_same_v<Address, sockaddr_in6>) {
    network_order = bound.sin6_port;
  } else {
    network_order = bound.sin_port;
  }
  return Listener{std::move(fd), ntohs(network_order)};
}

}  // namespace

Result<Listener> listen_everywhere(int port, int backlog) {
  if (port < 0 || port > 65535) return Error{text("port ", port, " is not in 0-65535"), "EINVAL"};
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_any;
  v6.sin6_port = htons(static_cast<std::uint16_t>(port));
  if (auto listener = bind_and_listen(AF_INET6, v6, port, backlog)) return listener;

  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_ANY);
  v4.sin_port = htons(static_cast<std::uint16_t>(port));
  return bind_and_listen(AF_INET, v4, port, backlog);  // its error counts: IPv6 may just be off
}

void close_by_reset(Fd& fd) {
  if (!fd.valid()) return;
  const linger reset{1, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  fd.reset();
}

}  // namespace rollcall::probe
