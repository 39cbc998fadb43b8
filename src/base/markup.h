#pragma once

#include <string_view>

namespace rollcall {

/// What stands for a character that XML and HTML would take for markup, in text and in values in double quotes; empty =
/// itself.
constexpr std::string_view entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return "";
  }
}

}  // namespace rollcall
