#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

/// The flags of every verb as tables: what the command line is declared from, and what completions are made of.
namespace rollcall::cli {

/// What a flag's value is, for a shell that completes it.
enum class Takes { nothing, text, number, file, folder, choice, rule };

struct Flag {
  const char* names;  ///< as CLI11 takes them: `-n,--namespace`; an argument without a flag has no hyphen
  const char* help;   ///< one sentence without a full stop
  Takes takes = Takes::nothing;
  const char* value = "";                     ///< how help calls the value: `FILE`
  std::span<const char* const> choices = {};  ///< with Takes::choice
  bool repeats = false;
  bool required = false;

  bool is_argument() const { return names[0] != '-'; }
};

/// Declares the flag with `target` to hold its value; a vector for one that repeats, a bool for one that takes nothing.
template <typename T>
CLI::Option* declare(CLI::App& command, const Flag& flag, T& target) {
  CLI::Option* option = nullptr;
  if constexpr (std::is_same_v<T, bool>) {
    option = command.add_flag(flag.names, target, flag.help);
  } else {
    option = command.add_option(flag.names, target, flag.help);
    if (flag.value[0] != '\0') option->type_name(flag.value);
    // `--format json FILE`: FILE is no second value of --format.
    if (flag.repeats && !flag.is_argument()) option->allow_extra_args(false);
  }
  if (flag.takes == Takes::choice)
    option->check(CLI::IsMember(std::vector<std::string>(flag.choices.begin(), flag.choices.end())));
  if (flag.required) option->required();
  return option;
}

}  // namespace rollcall::cli
