#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launch/text.h"

namespace rollcall::launch {

enum class AddressKind {
  literal,  ///< an IPv4 or IPv6 address that a node can own
  host_name,
  localhost,   ///< the name, 127.0.0.0/8, ::1
  wildcard,    ///< 0.0.0.0, ::
  link_local,  ///< 169.254.0.0/16, fe80::/10
  unparsable,  ///< empty, a URL, several addresses, multicast, …
};

/// What `text` is as a master address, without port. Pure: nothing is resolved.
AddressKind address_kind(std::string_view text);

/// A rendezvous endpoint in two: at the last colon, as torchrun does; `[v6]:port` without its brackets.
struct Endpoint {
  Text host;
  std::optional<Text> port;
};
Endpoint endpoint_of(const Text& text);

}  // namespace rollcall::launch
