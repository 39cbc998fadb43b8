#include "launch/kinds/beside.h"

#include <algorithm>

#include "launch/kinds/readers.h"

namespace rollcall::launch {
namespace {

/// Whether, behind some `kind`, on its line or the next (`kind: >-`), stands a text that `named` knows. Every line is
/// looked at twice at most, a whole object on one line once.
template <typename Named>
bool names_kind(std::string_view text, const Named& named) {
  constexpr std::string_view kKind = "kind";
  // UTF-16 has other bytes between its letters.
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
  for (std::size_t at = text.find(kKind); at != std::string_view::npos; at = text.find(kKind, at)) {
    const std::size_t line = std::min(text.find('\n', at), text.size());
    const std::size_t next = std::min(text.find('\n', std::min(line + 1, text.size())), text.size());
    if (named(text.substr(at + kKind.size(), next - at - kKind.size()))) return true;
    at = line;
  }
  return false;
}

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

}  // namespace

bool is_beside(std::string_view kind) {
  return std::find(kKindsBeside.begin(), kKindsBeside.end(), kind) != kKindsBeside.end();
}

bool may_stand_beside(std::string_view text) {
  return names_kind(text, [](std::string_view words) {
    return std::any_of(kKindsBeside.begin(), kKindsBeside.end(),
                       [words](std::string_view kind) { return has(words, kind); });
  });
}

bool may_be_judged(std::string_view text) {
  return names_kind(text, [](std::string_view words) {
    const auto readers = all_readers();
    return std::any_of(readers.begin(), readers.end(),
                       [words](const KindReader& reader) { return has(words, reader.name); });
  });
}

}  // namespace rollcall::launch
