#pragma once

#include <CLI/CLI.hpp>
#include <type_traits>
#include <vector>

#include "cli/flags.h"

namespace rollcall::cli {

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
