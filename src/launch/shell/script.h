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
/// or the container's env; what a branch, a sourced file or another command may have changed is open. `path` is where
/// the script stands, given to every word. Never fails.
std::vector<Command> commands_of(std::string_view script, const std::vector<EnvEntry>& env, const std::string& path);

}  // namespace rollcall::launch::shell
