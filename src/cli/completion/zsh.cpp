#include <fmt/format.h>

#include "cli/completion/scripts.h"

namespace rollcall::cli {
namespace {

/// Help inside of `[…]` of _arguments, or before a `:` of _describe.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string action(const Flag& flag, const std::vector<std::string>& rules) {
  switch (flag.takes) {
    case Takes::file:
      return "_files";
    case Takes::folder:
      return "_files -/";
    case Takes::choice:
    case Takes::rule:
      return "(" + choices_of(flag, rules) + ")";
    default:
      return " ";
  }
}

std::string value_of(const Flag& flag, const std::vector<std::string>& rules) {
  return flag.takes == Takes::nothing ? "" : fmt::format(":{}:{}", escaped(flag.value), action(flag, rules));
}

std::string arguments_of(const Verb& verb, const std::vector<std::string>& rules) {
  std::string out = " '--help[Print the help]'";
  for (const Flag& flag : verb.flags()) {
    if (flag.is_argument()) {
      out += " " + shell_quoted((flag.repeats ? "*" : "1") + value_of(flag, rules));
      continue;
    }
    for (const std::string& spelling : spellings(flag))
      out += " " + shell_quoted((flag.repeats ? "*" : "") + spelling + "[" + escaped(flag.help) + "]" +
                                value_of(flag, rules));
  }
  return out;
}

}  // namespace

std::string zsh_script(std::span<const Verb> verbs, const std::vector<std::string>& rules) {
  std::string described;
  std::string cases;
  for (const Verb& verb : verbs) {
    described += fmt::format("    {}\n", shell_quoted(fmt::format("{}:{}", verb.name, escaped(verb.summary))));
    cases += fmt::format("      {}) _arguments{} ;;\n", verb.name, arguments_of(verb, rules));
  }
  return fmt::format(R"(#compdef rollcall kubectl-rollcall
# zsh completion of rollcall, made by: rollcall completion zsh
_rollcall() {{
  local state
  local -a verbs
  verbs=(
{}  )
  _arguments -C '--help[Print the help]' '--version[Print the version]' '1:verb:->verb' '*::argument:->argument'
  case $state in
    verb) _describe verb verbs ;;
    argument) case $words[1] in
{}    esac ;;
  esac
}}
_rollcall "$@"
)",
                     described, cases);
}

}  // namespace rollcall::cli
