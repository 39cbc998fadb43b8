#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion/scripts.h"

namespace rollcall::cli {
namespace {

/// What completes a value: the words there are, files, or nothing.
std::string action(const Flag& flag, const std::vector<std::string>& rules) {
  switch (flag.takes) {
    case Takes::file:
      return "_rollcall_files -f \"$cur\"";
    case Takes::folder:
      return "_rollcall_files -d \"$cur\"";
    case Takes::choice:
    case Takes::rule:
      return fmt::format("_rollcall_words {} \"$cur\"", shell_quoted(choices_of(flag, rules)));
    default:
      return ":";
  }
}

}  // namespace

std::string bash_script(std::span<const Verb> verbs, const std::vector<std::string>& rules) {
  std::vector<std::string> names;
  std::string values;
  std::string words;
  for (const Verb& verb : verbs) {
    names.emplace_back(verb.name);
    std::vector<std::string> flags{"--help"};
    std::string argument = ":";
    for (const Flag& flag : verb.flags()) {
      if (flag.is_argument()) {
        argument = action(flag, rules);
        continue;
      }
      for (const std::string& spelling : spellings(flag)) {
        flags.push_back(spelling);
        if (flag.takes != Takes::nothing)
          values += fmt::format("    {}:{}) {}; return ;;\n", verb.name, spelling, action(flag, rules));
      }
    }
    words += fmt::format("    {}:-*) _rollcall_words {} \"$cur\" ;;\n    {}:*) {} ;;\n", verb.name,
                         shell_quoted(fmt::format("{}", fmt::join(flags, " "))), verb.name, argument);
  }
  return fmt::format(R"(# bash completion of rollcall, made by: rollcall completion bash
_rollcall_words() {{ mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }}
_rollcall_files() {{
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
  compopt -o filenames 2>/dev/null || true
}}
_rollcall() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} verb= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      {}) verb=${{COMP_WORDS[i]}}; break ;;
    esac
  done
  # bash parts `--flag=value` at the `=`.
  if [[ $cur == "=" ]]; then cur=; elif [[ $prev == "=" ]]; then prev=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
  case $verb:$prev in
{}  esac
  case $verb:$cur in
    :-*) _rollcall_words '--help --version' "$cur" ;;
    :*) _rollcall_words {} "$cur" ;;
{}  esac
}}
complete -F _rollcall rollcall kubectl-rollcall
)",
                     fmt::join(names, " | "), values, shell_quoted(fmt::format("{}", fmt::join(names, " "))), words);
}

}  // namespace rollcall::cli
