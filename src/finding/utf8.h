#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// The text with bytes that are no UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace rollcall
