#include "launch/launchers/flags.h"

#include <algorithm>

#include "launch/patch.h"

namespace rollcall::launch {
namespace {

bool in(std::span<const std::string_view> row, std::string_view name) {
  return std::find(row.begin(), row.end(), name) != row.end();
}

/// `--nproc_per_node` and `--nproc-per-node` are one flag.
std::string canonical(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// Both in the same list and neighbours, so that removing the first's index twice takes out both.
bool same_list(const std::string& a, const std::string& b) {
  return a.substr(0, a.rfind('[')) == b.substr(0, b.rfind('['));
}

/// The name that a flag is read under.
std::string name_of(const Grammar& grammar, std::string name) {
  for (const Alias& alias : grammar.aliases)
    if (alias.spelled == name) return std::string(alias.means);
  return name;
}

/// What stands in the command may be replaced by what cannot be read, and what does not may stand there.
void open_all(std::map<std::string, Flag>& flags, const Grammar& grammar, const Text& open, const std::string& path) {
  for (const std::string_view name : grammar.with_value) {
    const std::string read = name_of(grammar, std::string(name));
    flags[read] = {read, " ", open, path, ""};
  }
  for (auto& [name, flag] : flags) flag.value = open;
}

/// `-N16`: a short flag with its value in one word.
bool is_joined(const Grammar& grammar, const std::string& text) {
  return text.size() > 2 && text[1] != '-' && in(grammar.with_value, std::string_view(text).substr(0, 2));
}

}  // namespace

std::map<std::string, Flag> flags_of(const std::vector<Word>& words, std::size_t first, const Grammar& grammar,
                                     bool exec_form, std::size_t* rest) {
  std::map<std::string, Flag> flags;
  std::size_t at = first;
  const auto open = [&](const Text& why) {
    open_all(flags, grammar, why, words[at].path);
    at = words.size();
  };
  for (; at < words.size(); ++at) {
    const Word& word = words[at];
    const std::string& text = word.text.text;
    if (text.starts_with(kHole)) {
      // Flags of its own, or the script, behind which nothing is the launcher's: which shows only at run time.
      open(Text::open(word.text.reason));
      break;
    }
    if (!text.starts_with('-') || text == "-") break;
    if (text == "--") {
      ++at;
      break;
    }
    const std::size_t equals = text.find('=');
    const std::string spelled = text.substr(0, equals);
    const std::string name = canonical(spelled);
    const std::string read = name_of(grammar, name);
    if (spelled.find(kHole) != std::string::npos) {
      open(Text::open(word.text.reason));
      break;
    } else if (in(grammar.without, name)) {
      flags[read] = {spelled, "", {}, word.path, exec_form ? remove_patch(word.path, 1) : ""};
    } else if (equals != std::string::npos) {
      flags[read] = {spelled, "=", word.text.part(equals + 1), word.path, exec_form ? remove_patch(word.path, 1) : ""};
    } else if (in(grammar.with_value, name) && at + 1 < words.size()) {
      const Word& value = words[++at];
      const bool patchable = exec_form && same_list(word.path, value.path);
      flags[read] = {spelled, " ", value.text, value.path, patchable ? remove_patch(word.path, 2) : ""};
      // An unquoted variable may be empty or several words: then the next word is the value, or the rest is flags.
      if (value.may_split && !value.text.known()) continue;
    } else if (is_joined(grammar, text)) {
      flags[name_of(grammar, text.substr(0, 2))] = {text.substr(0, 2), "", word.text.part(2), word.path,
                                                    exec_form ? remove_patch(word.path, 1) : ""};
    } else {
      // A flag of a later release: whether the next word is its value is open, and with it where the script begins.
      open(Text::open(std::string(grammar.launcher) + "'s flag `" + spelled + "` is not known here"));
      break;
    }
  }
  if (rest != nullptr) *rest = std::min(at, words.size());
  return flags;
}

}  // namespace rollcall::launch
