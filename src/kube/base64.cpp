#include "kube/base64.h"

#include <array>
#include <cstdint>

namespace rollcall::kube {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::string> base64_decode(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int characters = 0;  // of the group of four being read
  int padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const auto value = kAlphabet.find(c);
    if (value == std::string_view::npos || padding > 0) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    if (++characters == 4) {
      for (const int shift : {16, 8, 0}) out += static_cast<char>((bits >> shift) & 0xFF);
      bits = 0;
      characters = 0;
    }
  }
  if (characters == 0) return padding == 0 ? std::optional(out) : std::nullopt;
  if (characters == 1 || characters + padding != 4) return std::nullopt;
  bits <<= 6 * (4 - characters);
  out += static_cast<char>((bits >> 16) & 0xFF);
  if (characters == 3) out += static_cast<char>((bits >> 8) & 0xFF);
  return out;
}

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      bits = (bits << 8) | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? kAlphabet[(bits >> (18 - 6 * k)) & 63] : '=';
  }
  return out;
}

}  // namespace rollcall::kube
