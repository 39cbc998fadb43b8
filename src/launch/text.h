#pragma once

#include <string>
#include <string_view>

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

  bool known() const { return text.find(kHole) == std::string::npos; }

  /// Whether the whole text is one variable, and which: `$(JOB_COMPLETION_INDEX)`. Empty for everything else.
  std::string variable() const { return text.size() == 1 && text[0] == kHole ? source : std::string(); }

  void hole(std::string_view why, std::string_view name = {}) {
    source = known() ? name : std::string_view();
    text += kHole;
    if (reason.empty()) reason = why;
  }
  void add(const Text& other) {
    if (other.text.size() > kLongestFilledIn) return hole("a value of more than 512 bytes is not looked into");
    if (!other.known()) source = known() ? other.source : std::string();
    text += other.text;
    if (reason.empty()) reason = other.reason;
  }
  static Text open(std::string_view why, std::string_view name = {}) {
    Text text;
    text.hole(why, name);
    return text;
  }
  /// A part of this text, with its reason.
  Text part(std::size_t from, std::size_t count = std::string::npos) const {
    return {text.substr(from, count), reason, source};
  }

  Fact<std::string> fact(const std::string& path) const {
    if (known()) return Fact<std::string>::of(text, path);
    return Fact<std::string>::unknown(reason.empty() ? "shows only at run time" : reason, path);
  }
};

}  // namespace rollcall::launch
