#include "launch/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace rollcall::launch {
namespace {

AddressKind kind_v4(const in_addr& address) {
  const std::uint32_t bits = ntohl(address.s_addr);
  if (bits == 0) return AddressKind::wildcard;
  if (bits >> 24 == 127) return AddressKind::localhost;
  if (bits >> 16 == 0xa9fe) return AddressKind::link_local;
  // 224.0.0.0/3: multicast, reserved and broadcast are no node's own.
  if (bits >> 29 == 7 || bits >> 24 == 0) return AddressKind::unparsable;
  return AddressKind::literal;
}

AddressKind kind_v6(const in6_addr& address) {
  if (IN6_IS_ADDR_UNSPECIFIED(&address)) return AddressKind::wildcard;
  if (IN6_IS_ADDR_LOOPBACK(&address)) return AddressKind::localhost;
  if (IN6_IS_ADDR_LINKLOCAL(&address)) return AddressKind::link_local;
  if (IN6_IS_ADDR_MULTICAST(&address)) return AddressKind::unparsable;
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    in_addr mapped{};
    std::memcpy(&mapped, &address.s6_addr[12], sizeof mapped);
    return kind_v4(mapped);
  }
  return AddressKind::literal;
}

bool is_host_name(std::string_view text) {
  // RFC 1123, and the underscore that some resolvers take.
  if (text.empty() || text.size() > 253 || text.front() == '.' || text.front() == '-') return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_'; });
}

/// `10.0.0` and `300.1.2.3` are addresses with a mistake, not names.
bool only_numbers(std::string_view text) { return text.find_first_not_of("0123456789.") == std::string_view::npos; }

}  // namespace

AddressKind address_kind(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  // A zone belongs to a link-local address only.
  const std::string bare(text.substr(0, text.find('%')));
  in_addr v4{};
  if (inet_pton(AF_INET, bare.c_str(), &v4) == 1 && bare == text) return kind_v4(v4);
  in6_addr v6{};
  if (inet_pton(AF_INET6, bare.c_str(), &v6) == 1) return kind_v6(v6);
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "localhost" || lower == "localhost." || lower.ends_with(".localhost") ||
      lower == "localhost.localdomain" || lower == "ip6-localhost") {
    return AddressKind::localhost;
  }
  if (only_numbers(text) || !is_host_name(text)) return AddressKind::unparsable;
  return AddressKind::host_name;
}

Endpoint endpoint_of(const Text& text) {
  const std::string& all = text.text;
  const std::size_t colon = all.rfind(':');
  const std::size_t bracket = all.rfind(']');
  const bool has_port = colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  Text host = has_port ? text.part(0, colon) : text;
  if (host.text.size() > 2 && host.text.front() == '[' && host.text.back() == ']') {
    host = host.part(1, host.text.size() - 2);
  }
  Endpoint endpoint{std::move(host), std::nullopt};
  if (has_port) endpoint.port = text.part(colon + 1);
  return endpoint;
}

}  // namespace rollcall::launch
