#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "child/nccl/nccl.h"

namespace rollcall::child {
namespace {

std::string text_of(int family, const void* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(family, address, text.data(), text.size()) != nullptr ? text.data() : "";
}

std::string text_of(const sockaddr* address) {
  if (address == nullptr) return "";
  if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    return text_of(AF_INET, &v4.sin_addr);
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    return text_of(AF_INET6, &v6.sin6_addr);
  }
  return "";
}

}  // namespace

std::optional<std::string> address_in(std::string_view unique_id) {
  constexpr std::size_t kMagic = 8;
  if (unique_id.size() < kMagic + sizeof(sockaddr_in6)) return std::nullopt;
  sockaddr_storage address{};
  std::memcpy(&address, unique_id.data() + kMagic, sizeof(sockaddr_in6));
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (generic->sa_family != AF_INET && generic->sa_family != AF_INET6) return std::nullopt;
  // A listener has a port; without one these bytes are something else.
  const in_port_t port = reinterpret_cast<const sockaddr_in*>(&address)->sin_port;  // at the same place in both
  if (port == 0) return std::nullopt;
  return text_of(generic);
}

std::string interface_of(const std::string& address, const ifaddrs* all) {
  for (; all != nullptr; all = all->ifa_next)
    if (!address.empty() && text_of(all->ifa_addr) == address) return all->ifa_name;
  return "";
}

}  // namespace rollcall::child
