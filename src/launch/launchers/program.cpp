#include "launch/launchers/program.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace rollcall::launch {
namespace {

using Kind = Program::Kind;

constexpr std::array kShells{"sh", "bash", "dash", "ash", "zsh"};
constexpr std::array kMpi{"mpirun", "mpiexec", "orterun", "prun", "mpiexec.hydra", "mpirun.openmpi", "mpiexec.openmpi"};
constexpr std::array kForeign{"horovodrun", "srun", "ray", "pdsh"};
// Start the rest of their line as it stands, after flags of their own.
constexpr std::array kWrappers{"exec",      "command", "nohup",  "time",     "tini",
                               "dumb-init", "setsid",  "ionice", "catchsegv"};

template <typename Row>
bool in(const Row& row, std::string_view name) {
  return std::find(row.begin(), row.end(), name) != row.end();
}

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  return word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == equals;
}

bool is_python(const std::string& name) {
  return name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == std::string::npos;
}

/// Behind the flags of a wrapper; `--` ends them.
std::size_t skip_flags(const std::vector<Word>& words, std::size_t at) {
  while (at < words.size() && words[at].text.text.starts_with('-')) {
    if (words[at++].text.text == "--") break;
  }
  return at;
}

/// `python FLAGS… -m MODULE`: which launcher the module is.
Program python(const std::vector<Word>& words, std::size_t at, std::string name) {
  for (; at < words.size() && words[at].text.text.starts_with('-'); ++at) {
    const std::string& flag = words[at].text.text;
    if (flag == "-c") break;
    if (flag == "-W" || flag == "-X") ++at;
    if (flag != "-m" || at + 1 >= words.size()) continue;
    const Word& module = words[at + 1];
    if (!module.text.known()) return {Kind::unknown, at + 2, std::move(name)};
    if (module.text.text == "torch.distributed.run" || module.text.text == "torch.distributed.launch") {
      return {Kind::torchrun, at + 2, module.text.text};
    }
    if (module.text.text == "accelerate.commands.launch") return {Kind::accelerate, at + 2, "accelerate"};
    if (module.text.text == "deepspeed.launcher.runner") return {Kind::deepspeed, at + 2, "deepspeed"};
    return {Kind::python, at + 2, std::move(name)};
  }
  return {Kind::python, at, std::move(name)};
}

}  // namespace

Program program_of(const std::vector<Word>& words) {
  std::size_t at = 0;
  while (at < words.size()) {
    const Word& word = words[at];
    if (!word.text.known()) {
      // `NAME=$VALUE program` under env: the assignment's value does not matter here.
      if (at > 0 && is_assignment(word.text.text.substr(0, word.text.text.find(kHole)))) {
        ++at;
        continue;
      }
      return {Kind::unknown, at, ""};
    }
    std::string name = base_name(word.text.text);
    if (in(kWrappers, name)) {
      at = skip_flags(words, at + 1);
    } else if (name == "env") {
      for (++at; at < words.size(); ++at) {
        const std::string& argument = words[at].text.text;
        if (argument == "-u" || argument == "-C") {
          ++at;
        } else if (!argument.starts_with('-') && !is_assignment(argument)) {
          break;
        }
      }
    } else if (name == "torchrun") {
      return {Kind::torchrun, at + 1, "torchrun"};
    } else if (name == "tune" && at + 1 < words.size() && words[at + 1].text.text == "run") {
      return {Kind::tune, at + 2, "tune run"};
    } else if (name == "accelerate") {
      return {Kind::accelerate, at + 1, "accelerate"};
    } else if (name == "deepspeed") {
      return {Kind::deepspeed, at + 1, "deepspeed"};
    } else if (in(kShells, name)) {
      return {Kind::shell, at + 1, std::move(name)};
    } else if (in(kMpi, name)) {
      return {Kind::mpi, at + 1, std::move(name)};
    } else if (in(kForeign, name)) {
      return {Kind::foreign, at + 1, std::move(name)};
    } else if (is_python(name)) {
      return python(words, at + 1, std::move(name));
    } else {
      return {Kind::other, at + 1, std::move(name)};
    }
  }
  return {Kind::other, at, ""};
}

}  // namespace rollcall::launch
