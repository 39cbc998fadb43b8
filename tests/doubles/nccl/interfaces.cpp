#include "doubles/nccl/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

#include "doubles/nccl/log.h"
#include "doubles/scenario/scenario.h"

namespace rollcall::doubles {
namespace {

struct Spec {
  bool exclude = false, exact = false;
  std::vector<std::string> names;

  explicit Spec(std::string text) {
    if (text.starts_with('^')) exclude = true, text.erase(0, 1);
    if (text.starts_with('=')) exact = true, text.erase(0, 1);
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) names.push_back(word.substr(0, word.find(':')));
  }
  bool takes(const std::string& name) const {
    bool listed = names.empty();
    for (const auto& entry : names) listed = listed || (exact ? name == entry : name.starts_with(entry));
    return listed != exclude;
  }
};

Address address_of(const sockaddr* from) {
  Address address;
  address.length = from->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  std::memcpy(&address.storage, from, address.length);
  return address;
}

bool in_subnet(const ifaddrs& local, const Address& remote) {
  if (local.ifa_netmask == nullptr || local.ifa_addr->sa_family != remote.storage.ss_family) return false;
  const auto raw = [](const sockaddr* of) {
    return of->sa_family == AF_INET
               ? reinterpret_cast<const unsigned char*>(&reinterpret_cast<const sockaddr_in*>(of)->sin_addr)
               : reinterpret_cast<const unsigned char*>(&reinterpret_cast<const sockaddr_in6*>(of)->sin6_addr);
  };
  const auto* own = raw(local.ifa_addr);
  const auto* mask = raw(local.ifa_netmask);
  const auto* other = raw(reinterpret_cast<const sockaddr*>(&remote.storage));
  const int bytes = local.ifa_addr->sa_family == AF_INET ? 4 : 16;
  for (int i = 0; i < bytes; ++i)
    if ((own[i] & mask[i]) != (other[i] & mask[i])) return false;
  return true;
}

template <typename Takes>
std::vector<Interface> found(Takes takes) {
  int family = AF_UNSPEC;
  if (const char* forced = std::getenv("NCCL_SOCKET_FAMILY"); forced != nullptr)
    family = std::string_view(forced) == "AF_INET6"  ? AF_INET6
             : std::string_view(forced) == "AF_INET" ? AF_INET
                                                     : AF_UNSPEC;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
  std::vector<Interface> interfaces;
  for (const auto* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0 || (each->ifa_flags & IFF_RUNNING) == 0) continue;
    const int its = each->ifa_addr->sa_family;
    if ((its != AF_INET && its != AF_INET6) || (family != AF_UNSPEC && its != family)) continue;
    if (its == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr))
      continue;
    if (!takes(*each)) continue;
    bool known = false;
    for (const auto& one : interfaces) known = known || one.name == each->ifa_name;
    if (!known) interfaces.push_back({each->ifa_name, address_of(each->ifa_addr)});
  }
  return interfaces;
}

std::vector<Interface> by_name(const std::string& text) {
  const Spec spec(text);
  return found([&](const ifaddrs& each) { return spec.takes(each.ifa_name); });
}

}  // namespace

std::string Address::text() const {
  char host[INET6_ADDRSTRLEN] = "?";
  int port = 0;
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
    port = ntohs(v4.sin_port);
  } else if (storage.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
    inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
    port = ntohs(v6.sin6_port);
  }
  return std::string(host) + "<" + std::to_string(port) + ">";
}

bool Address::operator==(const Address& other) const {
  return length == other.length && std::memcmp(&storage, &other.storage, length) == 0;
}

std::vector<Interface> find_interfaces() {
  if (const char* name = std::getenv("NCCL_SOCKET_IFNAME"); name != nullptr && std::strlen(name) > 1) {
    info(Subsystem::Env, std::string("NCCL_SOCKET_IFNAME set by environment to ") + name);
    return by_name(name);
  }
  auto list = by_name("ib");
  if (list.empty())
    if (const char* id = std::getenv("NCCL_COMM_ID"); id != nullptr && std::strlen(id) > 1) {
      const auto remote = address_from(id);
      list = found([&](const ifaddrs& each) { return in_subnet(each, remote); });
    }
  const bool skips_virbr = Scenario::get().number("nccl_version", {}, 22705) >= 22803;
  if (list.empty()) list = by_name(skips_virbr ? "^docker,lo,virbr" : "^docker,lo");
  if (list.empty()) list = by_name("docker");
  if (list.empty()) list = by_name("lo");
  return list;
}

Address address_from(const std::string& text) {
  Address address;
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return address;
  auto host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const auto port = htons(static_cast<std::uint16_t>(std::atoi(text.c_str() + colon + 1)));
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = port;
    address.length = sizeof v4;
  } else if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = port;
    address.length = sizeof v6;
  }
  return address;
}

}  // namespace rollcall::doubles
