#include <fmt/format.h>

#include "cli/completion/scripts.h"

namespace rollcall::cli {
namespace {

/// In single quotes for fish, which reads `\'` and `\\` in them.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string value_of(const Flag& flag, const std::vector<std::string>& rules) {
  switch (flag.takes) {
    case Takes::nothing:
      return "";
    case Takes::file:
    case Takes::folder:
      return " -r -F";
    case Takes::choice:
    case Takes::rule:
      return " -x -a " + fish_quoted(choices_of(flag, rules));
    default:
      return " -x";
  }
}

std::string line_of(const Verb& verb, const Flag& flag, const std::vector<std::string>& rules) {
  std::string out = fmt::format("complete -c rollcall -n '__fish_seen_subcommand_from {}'", verb.name);
  if (flag.is_argument()) {
    const std::string choices = choices_of(flag, rules);
    return out + (choices.empty() ? " -F" : " -f -a " + fish_quoted(choices)) + "\n";
  }
  for (const std::string& spelling : spellings(flag))
    out += spelling.starts_with("--") ? " -l " + spelling.substr(2) : " -s " + spelling.substr(1);
  return out + value_of(flag, rules) + " -d " + fish_quoted(flag.help) + "\n";
}

}  // namespace

std::string fish_script(std::span<const Verb> verbs, const std::vector<std::string>& rules) {
  std::string out =
      "# fish completion of rollcall, made by: rollcall completion fish\n"
      "complete -c rollcall -l help -d 'Print the help'\n"
      "complete -c rollcall -n __fish_use_subcommand -l version -d 'Print the version'\n";
  for (const Verb& verb : verbs)
    out += fmt::format("complete -c rollcall -n __fish_use_subcommand -f -a {} -d {}\n", verb.name,
                       fish_quoted(verb.summary));
  for (const Verb& verb : verbs)
    for (const Flag& flag : verb.flags()) out += line_of(verb, flag, rules);
  return out;
}

}  // namespace rollcall::cli
