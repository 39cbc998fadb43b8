#include "launch/document/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace rollcall::launch {
namespace {

using namespace std::string_view_literals;

constexpr std::array kTrue{"y"sv,    "Y"sv,    "yes"sv, "Yes"sv, "YES"sv, "true"sv,
                           "True"sv, "TRUE"sv, "on"sv,  "On"sv,  "ON"sv};
constexpr std::array kFalse{"n"sv,     "N"sv,     "no"sv,  "No"sv,  "NO"sv, "false"sv,
                            "False"sv, "FALSE"sv, "off"sv, "Off"sv, "OFF"sv};
constexpr std::array kNull{""sv, "~"sv, "null"sv, "Null"sv, "NULL"sv};

constexpr std::size_t kLongestWord = "false"sv.size();

template <typename Row>
bool in(const Row& row, std::string_view text) {
  return std::find(row.begin(), row.end(), text) != row.end();
}

/// Digits of `base`, all of them; nullopt when it is no such number or does not fit.
std::optional<std::uint64_t> digits(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Decimal, `0x`, `0o`, `0b`, and `017` for 15.
std::optional<nlohmann::json> integer(std::string_view written) {
  std::string text(written);
  std::erase(text, '_');
  std::string_view body = text;
  const bool negative = body.starts_with('-');
  if (negative || body.starts_with('+')) body.remove_prefix(1);
  int base = 10;
  if (body.size() > 1 && body[0] == '0') {
    const char mark = static_cast<char>(body[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    body.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  const auto value = digits(body, base);
  if (!value) return std::nullopt;
  if (!negative)
    return *value <= INT64_MAX ? nlohmann::json(static_cast<std::int64_t>(*value)) : nlohmann::json(*value);
  if (*value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return nlohmann::json(-static_cast<std::int64_t>(*value));
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
std::optional<nlohmann::json> real(std::string_view text) {
  std::string_view body = text;
  if (body.starts_with('-') || body.starts_with('+')) body.remove_prefix(1);
  if (body.empty() || body.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  if (body[0] != '.' && (body[0] < '0' || body[0] > '9')) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return nlohmann::json(value);
}

}  // namespace

nlohmann::json scalar_value(std::string_view text, std::string_view tag) {
  const bool resolves = tag.empty() || tag == "?" || tag == "tag:yaml.org,2002:int" ||
                        tag == "tag:yaml.org,2002:float" || tag == "tag:yaml.org,2002:bool" ||
                        tag == "tag:yaml.org,2002:null";
  if (!resolves) return text;
  if (text.size() <= kLongestWord) {
    if (in(kNull, text)) return nullptr;
    if (in(kTrue, text)) return true;
    if (in(kFalse, text)) return false;
  }
  // Nearly every scalar is a word: no number begins with a letter.
  const char first = text[0];
  if ((first < '0' || first > '9') && first != '-' && first != '+' && first != '.') return text;
  if (auto number = integer(text)) return std::move(*number);
  if (auto number = real(text)) return std::move(*number);
  return text;
}

std::string scalar_key(std::string_view text, std::string_view tag) {
  const nlohmann::json value = scalar_value(text, tag);
  if (value.is_string()) return std::string(text);
  return value.dump();
}

}  // namespace rollcall::launch
