#include "probe/net/address.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstring>

#include "probe/text.h"

namespace rollcall::probe {

Result<SocketAddress> SocketAddress::of(const std::string& ip, int port) {
  if (port < 1 || port > 65535) return Error{text("port ", port, " is not in 1-65535")};
  SocketAddress address;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (::inet_pton(AF_INET, ip.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<std::uint16_t>(port));
    std::memcpy(&address.storage_, &v4, sizeof v4);
    address.length_ = sizeof v4;
  } else if (::inet_pton(AF_INET6, ip.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(static_cast<std::uint16_t>(port));
    std::memcpy(&address.storage_, &v6, sizeof v6);
    address.length_ = sizeof v6;
  } else {
    return Error{text("`", ip, "` is not a literal IPv4 or IPv6 address; names are not looked up")};
  }
  return address;
}

Result<SocketAddress> SocketAddress::parse(std::string_view whole) {
  const auto colon = whole.rfind(':');
  if (colon == std::string_view::npos) return Error{text("`", whole, "` has no port; write IP:PORT or [IPv6]:PORT")};
  std::string_view ip = whole.substr(0, colon);
  const std::string_view digits = whole.substr(colon + 1);
  if (ip.size() >= 2 && ip.front() == '[' && ip.back() == ']') {
    ip = ip.substr(1, ip.size() - 2);
  } else if (ip.find(':') != std::string_view::npos) {
    return Error{text("`", whole, "`: an IPv6 address needs brackets, [", ip, "]:", digits)};
  }
  int port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return Error{text("`", whole, "`: `", digits, "` is not a port")};
  }
  return of(std::string(ip), port);
}

const sockaddr* SocketAddress::raw() const {
  return reinterpret_cast<const sockaddr*>(&storage_);  // the sockets API's own way of naming an address
}

int SocketAddress::port() const {
  if (family() == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &storage_, sizeof v4);
    return ntohs(v4.sin_port);
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &storage_, sizeof v6);
  return ntohs(v6.sin6_port);
}

std::string SocketAddress::to_string() const {
  char buffer[INET6_ADDRSTRLEN] = {};
  if (family() == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &storage_, sizeof v4);
    ::inet_ntop(AF_INET, &v4.sin_addr, buffer, sizeof buffer);
    return text(buffer, ":", port());
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &storage_, sizeof v6);
  ::inet_ntop(AF_INET6, &v6.sin6_addr, buffer, sizeof buffer);
  return text("[", buffer, "]:", port());
}

std::string errno_name(int error) {
  const char* name = ::strerrorname_np(error);
  return name != nullptr ? std::string(name) : text("errno ", error);
}

std::string errno_words(int error) {
  const char* words = ::strerrordesc_np(error);
  return words != nullptr ? text(words, " (", errno_name(error), ")") : errno_name(error);
}

}  // namespace rollcall::probe
