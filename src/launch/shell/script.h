#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/launch.h"
#include "launch/launchers/program.h"

namespace rollcall::launch::shell {

/// A command of a script with its words worked out as far as they can be before it runs.
struct Command {
  std::vector<Word> words;
  /// An `if`, loop, function, behind a test or `||`, or behind an `exit` or `exec` that may have ended the script: may
  /// run or not, or differently.
  bool in_branch = false;
  std::vector<std::pair<std::string, Text>> prefix = {};  ///< `A=B` in front of it
};

/// A variable that the script sets or exports.
struct Change {
  std::size_t before = 0;  ///< index of the command in front of which it stands
  std::string name;
  Text value;
  bool exported = false;
};

struct Script {
  std::vector<Command> commands;
  std::vector<Change> changes;
  std::set<std::string> unclear;  ///< variables that something changes which was not read
  std::size_t sourced = 0;  ///< index of the first command that reads another script, `eval` included; else theirs
  std::string path;
};

/// The commands of a script, in order. Variables have the value that the script gave them last, outside every branch,
/// or the container's env; what a branch, a sourced file or another command may have changed is open, and so is every
/// variable that the script names otherwise than to expand or to assign it (`read N`, `for N in`, `((N /= 2))`). `path`
/// is where the script stands, given to every word. `arguments` are what it is started with, `$1` first; nullptr = not
/// known. Never fails; linear in the size of the script but for what its own variables repeat, which is bounded.
Script read_script(std::string_view script, const std::vector<EnvEntry>& env, const std::string& path,
                   const std::vector<Word>* arguments = nullptr);

/// The environment of the program that the command of this index starts: what the script exports, and the container's,
/// open where the script may change it.
std::vector<EnvEntry> env_of(const Script& script, std::size_t command, std::vector<EnvEntry> env);

}  // namespace rollcall::launch::shell
