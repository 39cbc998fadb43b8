#pragma once

#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "launch/launchers/program.h"

namespace rollcall::launch::shell {

/// A command of a script with its words worked out as far as they can be before it runs.
struct Command {
  std::vector<Word> words;
  bool in_branch =
      false;  ///< an `if`, loop, function, subshell, or behind a test or `||`: may run or not, or differently
};

/// The commands of a script, in order. Variables have the value that the script gave them last, outside every branch,
/// or the container's env; what a branch, a sourced file or another command may have changed is open, and so is every
/// variable that the script names otherwise than to expand or to assign it (`read N`, `for N in`, `((N /= 2))`). `path`
/// is where the script stands, given to every word. Never fails.
std::vector<Command> commands_of(std::string_view script, const std::vector<EnvEntry>& env, const std::string& path);

/// The environment of a program that `script`, of which these are the commands, starts: what the script names or may
/// read from a file is open.
std::vector<EnvEntry> env_below(std::string_view script, const std::vector<Command>& commands,
                                std::vector<EnvEntry> env);

}  // namespace rollcall::launch::shell
