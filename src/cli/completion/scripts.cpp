#include "cli/completion/scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace rollcall::cli {

std::vector<std::string> spellings(const Flag& flag) {
  std::vector<std::string> out;
  std::istringstream names(flag.names);
  for (std::string name; std::getline(names, name, ',');) out.push_back(name);
  return out;
}

std::string choices_of(const Flag& flag, const std::vector<std::string>& rules) {
  if (flag.takes == Takes::choice) return fmt::format("{}", fmt::join(flag.choices, " "));
  if (flag.takes == Takes::rule) return fmt::format("{}", fmt::join(rules, " "));
  return {};
}

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string completion_script(std::string_view shell, std::span<const Verb> verbs,
                              const std::vector<std::string>& rules) {
  if (shell == "zsh") return zsh_script(verbs, rules);
  if (shell == "fish") return fish_script(verbs, rules);
  return bash_script(verbs, rules);
}

}  // namespace rollcall::cli
