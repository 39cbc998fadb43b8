#include "launch/launchers/program_flags.h"

#include <algorithm>

namespace rollcall::launch {
namespace {

std::string canonical(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// Length of `+trainer.num_nodes` in `+trainer.num_nodes=4`; 0 for a word that is no override.
std::size_t override_name(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return 0;
  const std::size_t odd =
      text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+/@", 0);
  return odd == equals ? equals : 0;
}

}  // namespace

std::map<std::string, Flag> program_flags(const std::vector<Word>& words, std::size_t first) {
  std::map<std::string, Flag> flags;
  for (std::size_t at = first; at < words.size(); ++at) {
    const std::string& text = words[at].text.text;
    if (text.starts_with(kHole)) break;
    if (const std::size_t equals = override_name(text); equals != 0) {
      const std::size_t start = std::min(text.find_first_not_of('+'), equals);
      flags[canonical(text.substr(start, equals - start))] = {text.substr(0, equals), "=",
                                                              words[at].text.part(equals + 1), words[at].path, ""};
      continue;
    }
    if (!text.starts_with("--")) continue;
    const std::size_t equals = text.find('=');
    const bool joined = equals != std::string::npos;
    const bool next = !joined && at + 1 < words.size() && !words[at + 1].text.text.starts_with('-');
    const Word& value = next ? words[at + 1] : words[at];
    const Text read = joined ? value.text.part(equals + 1) : next ? value.text : Text{};
    flags[canonical(text.substr(0, equals))] = {text.substr(0, equals), joined ? "=" : " ", read, value.path, ""};
    if (next) ++at;
  }
  return flags;
}

}  // namespace rollcall::launch
