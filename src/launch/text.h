#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "launch/fact.h"

namespace rollcall::launch {

/// Stands for a part of a text that shows only at run time. No program can be handed a NUL in an argument or in its
/// environment, so it cannot be meant.
inline constexpr char kHole = '\0';

/// The longest value that is filled in; a longer one is open. Addresses, counts and lists of flags are shorter, and
/// without a bound forty entries that double each other would fill any memory.
inline constexpr std::size_t kLongestFilledIn = 512;

/// Text of a manifest, in which parts may be open: `localhost:$PORT` has a known host and an open port.
struct Text {
  std::string text;         ///< with kHole for each open part
  std::string reason;       ///< why the first of them is open; empty when none is
  std::string source = {};  ///< the variable that the only open part stands for; empty when it is none
  /// What the text itself falls back to in place of each open part, in order: `localhost` of `${HOST:-localhost}`.
  /// Empty = none of them has a fallback; an empty entry = that one has none.
  std::vector<std::string> fallbacks = {};

  bool known() const { return text.find(kHole) == std::string::npos; }

  /// Whether the whole text is one variable, and which: `$(JOB_COMPLETION_INDEX)`. Empty for everything else.
  std::string variable() const { return text.size() == 1 && text[0] == kHole ? source : std::string(); }

  void hole(std::string_view why, std::string_view name = {}, std::string_view fallback = {}) {
    source = known() ? name : std::string_view();
    if (!fallback.empty() || !fallbacks.empty()) {
      fallbacks.resize(holes(text.size()));
      fallbacks.emplace_back(fallback);
    }
    text += kHole;
    if (reason.empty()) reason = why;
  }
  void add(const Text& other) {
    if (other.text.size() > kLongestFilledIn) return hole("a value of more than 512 bytes is not looked into");
    if (!other.known()) source = known() ? other.source : std::string();
    if (!fallbacks.empty() || !other.fallbacks.empty()) {
      fallbacks.resize(holes(text.size()));
      fallbacks.insert(fallbacks.end(), other.fallbacks.begin(), other.fallbacks.end());
      fallbacks.resize(holes(text.size()) + other.holes(other.text.size()));
    }
    text += other.text;
    if (reason.empty()) reason = other.reason;
  }
  static Text open(std::string_view why, std::string_view name = {}, std::string_view fallback = {}) {
    Text text;
    text.hole(why, name, fallback);
    return text;
  }
  /// A part of this text, with its reason.
  Text part(std::size_t from, std::size_t count = std::string::npos) const {
    Text out{text.substr(from, count), reason, source};
    if (!fallbacks.empty()) {
      const auto first = fallbacks.begin() + static_cast<std::ptrdiff_t>(holes(from));
      out.fallbacks.assign(first, first + static_cast<std::ptrdiff_t>(out.holes(out.text.size())));
    }
    return out;
  }

  /// The text when every open part comes to what it falls back to; empty when one has no fallback, or none is open.
  std::string fallen_back() const {
    std::string out;
    std::size_t hole = 0;
    for (const char c : text) {
      if (c != kHole) {
        out += c;
      } else if (hole >= fallbacks.size() || fallbacks[hole].empty()) {
        return "";
      } else {
        out += fallbacks[hole++];
      }
    }
    return hole == 0 ? "" : out;
  }

  /// Open parts among the first `size` characters.
  std::size_t holes(std::size_t size) const {
    return static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size), kHole));
  }

  Fact<std::string> fact(const std::string& path) const {
    if (known()) return Fact<std::string>::of(text, path);
    return Fact<std::string>::unknown(reason.empty() ? "shows only at run time" : reason, path);
  }
};

}  // namespace rollcall::launch
