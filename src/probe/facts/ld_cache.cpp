#include "probe/facts/ld_cache.h"

#include <cstdint>
#include <cstring>
#include <optional>

namespace rollcall::probe {
namespace {

constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kHeader = 48;  // magic 20, nlibs 4, len_strings 4, flags and padding 4, extension 4, unused 12
constexpr std::size_t kEntry = 24;   // flags 4, key 4, value 4, osversion 4, hwcap 8
constexpr std::uint32_t kMaxLibraries = 200'000;
constexpr std::size_t kMaxPaths = 16;

std::uint32_t u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::optional<std::string_view> text_at(std::string_view bytes, std::size_t at) {
  if (at >= bytes.size()) return std::nullopt;
  const auto end = bytes.find('\0', at);
  if (end == std::string_view::npos) return std::nullopt;
  return bytes.substr(at, end - at);
}

}  // namespace

std::vector<std::string> cached_paths(std::string_view cache, std::string_view prefix) {
  std::vector<std::string> paths;
  // The old format may stand before it.
  const auto begin = cache.find(kMagic);
  if (begin == std::string_view::npos) return paths;
  cache.remove_prefix(begin);
  if (cache.size() < kHeader) return paths;
  const std::uint32_t count = u32(cache, kMagic.size());
  if (count > kMaxLibraries) return paths;
  for (std::size_t i = 0; i < count && paths.size() < kMaxPaths; ++i) {
    const std::size_t entry = kHeader + i * kEntry;
    if (entry + kEntry > cache.size()) return paths;
    const auto name = text_at(cache, u32(cache, entry + 4));
    const auto path = text_at(cache, u32(cache, entry + 8));
    if (name && path && name->substr(0, prefix.size()) == prefix) paths.emplace_back(*path);
  }
  return paths;
}

}  // namespace rollcall::probe
