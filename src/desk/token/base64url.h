#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rollcall::desk {

/// RFC 4648 section 5 without padding, as JOSE uses it. Strict: any other character, a length no encoder makes, or bits
/// left over that are not zero is nullopt, so that one value has one form.
std::optional<std::string> from_base64url(std::string_view text);
std::string to_base64url(std::string_view bytes);

}  // namespace rollcall::desk
