#include "child/collective/options.h"

#include <charconv>

namespace rollcall::child {
namespace {

constexpr std::size_t kIdBytes = 128;                       // sizeof(ncclUniqueId)
constexpr std::int64_t kMostBytes = std::int64_t{1} << 34;  // 16 GiB: more than any test of bandwidth takes

template <typename Number>
Status number(std::string_view name, std::string_view text, std::int64_t least, std::int64_t most, Number& to) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    return Error{std::string(name) + " must be a number from " + std::to_string(least) + " to " + std::to_string(most) +
                 ", not '" + std::string(text.substr(0, 40)) + "'"};
  to = static_cast<Number>(value);
  return Done{};
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Status unhex(std::string_view text, std::string& bytes) {
  if (text.size() != 2 * kIdBytes)
    return Error{"--unique-id must be 256 hex digits, not " + std::to_string(text.size())};
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return Error{"--unique-id holds something that is no hex digit"};
    bytes += static_cast<char>(high * 16 + low);
  }
  return Done{};
}

Status take(std::string_view name, std::string_view value, CollectiveOptions& options) {
  constexpr std::int64_t kMostRanks = 1'000'000;
  if (name == "--library") {
    options.library = value;
    return Done{};
  }
  if (name == "--rank") return number(name, value, 0, kMostRanks, options.rank);
  if (name == "--nranks") return number(name, value, 1, kMostRanks, options.nranks);
  if (name == "--gpu") return number(name, value, 0, 1024, options.gpu);
  if (name == "--small") return number(name, value, 4, 1 << 20, options.small_bytes);
  if (name == "--large") return number(name, value, 0, kMostBytes, options.large_bytes);
  if (name == "--unique-id") return unhex(value, options.unique_id);
  return Error{"unknown argument " + std::string(name.substr(0, 40))};
}

}  // namespace

Result<CollectiveOptions> collective_options(std::span<const std::string_view> arguments) {
  CollectiveOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto name = arguments[i];
    if (name == "--make-id") {
      options.make_id = true;
      continue;
    }
    if (i + 1 == arguments.size()) return Error{std::string(name.substr(0, 40)) + " needs a value"};
    if (const auto taken = take(name, arguments[++i], options); !taken) return taken.error();
  }
  if (options.library.empty()) return Error{"--library is missing"};
  if (options.nranks == 0) return Error{"--nranks is missing"};
  if (options.small_bytes == 0) return Error{"--small is missing"};
  if (options.rank >= options.nranks) return Error{"--rank must be below --nranks"};
  if (options.make_id == !options.unique_id.empty()) return Error{"either --make-id or --unique-id"};
  return options;
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

}  // namespace rollcall::child
