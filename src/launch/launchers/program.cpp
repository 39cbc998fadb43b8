#include "launch/launchers/program.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "launch/launchers/wrappers.h"

namespace rollcall::launch {
namespace {

using Kind = Program::Kind;

struct Named {
  std::string_view name;
  Kind kind;
};

constexpr std::array kPrograms{
    Named{"torchrun", Kind::torchrun},
    Named{"accelerate", Kind::accelerate},
    Named{"accelerate-launch", Kind::accelerate},
    Named{"deepspeed", Kind::deepspeed},
    Named{"deepspeed.pt", Kind::deepspeed},
    Named{"ds", Kind::deepspeed},
    Named{"mpirun", Kind::mpi},
    Named{"mpiexec", Kind::mpi},
    Named{"orterun", Kind::mpi},
    Named{"prun", Kind::mpi},
    Named{"prterun", Kind::mpi},
    Named{"mpiexec.hydra", Kind::mpi},
    Named{"mpirun.openmpi", Kind::mpi},
    Named{"mpiexec.openmpi", Kind::mpi},
    Named{"mpirun.mpich", Kind::mpi},
    Named{"mpiexec.mpich", Kind::mpi},
    Named{"srun", Kind::srun},
    Named{"horovodrun", Kind::horovod},
    Named{"ray", Kind::foreign},
    Named{"pdsh", Kind::foreign},
    Named{"colossalai", Kind::foreign},
    Named{"composer", Kind::foreign},
    Named{"fabric", Kind::foreign},
    Named{"lightning", Kind::foreign},
    Named{"llamafactory-cli", Kind::foreign},
    Named{"swift", Kind::foreign},
    Named{"axolotl", Kind::foreign},
    Named{"nemorun", Kind::foreign},
    Named{"nemo", Kind::foreign},
    Named{"torchx", Kind::foreign},
    Named{"jsrun", Kind::foreign},
    Named{"dlrover-run", Kind::foreign},
    Named{"hyperpodrun", Kind::foreign},
    Named{"sh", Kind::shell},
    Named{"bash", Kind::shell},
    Named{"dash", Kind::shell},
    Named{"ash", Kind::shell},
    Named{"zsh", Kind::shell},
};

// What `python -m` starts.
constexpr std::array kModules{
    Named{"torch.distributed.run", Kind::torchrun},        Named{"torch.distributed.launch", Kind::torchrun},
    Named{"accelerate.commands.launch", Kind::accelerate}, Named{"accelerate", Kind::accelerate},
    Named{"deepspeed.launcher.runner", Kind::deepspeed},   Named{"deepspeed", Kind::deepspeed},
    Named{"horovod.runner.launch", Kind::horovod},         Named{"horovod.run", Kind::horovod},
};

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool is_python(const std::string& name) {
  return (name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == std::string::npos) ||
         name == "pypy3";
}

Program module(const Word& word, std::size_t arguments, std::string python) {
  if (!word.text.known()) return {Kind::unknown, arguments, std::move(python)};
  const auto found =
      std::find_if(kModules.begin(), kModules.end(), [&](const Named& one) { return one.name == word.text.text; });
  if (found == kModules.end()) return {Kind::python, arguments, std::move(python)};
  const bool torch = found->kind == Kind::torchrun;
  return {found->kind, arguments, torch ? word.text.text : word.text.text.substr(0, word.text.text.find('.'))};
}

/// `python FLAGS… -m MODULE`: which launcher the module is.
Program python(const std::vector<Word>& words, std::size_t at, std::string name) {
  for (; at < words.size() && words[at].text.text.starts_with('-'); ++at) {
    const std::string& flag = words[at].text.text;
    if (flag == "-c") break;
    if (flag == "-W" || flag == "-X") ++at;
    // `-um MODULE`: flags in one word.
    const bool short_flags = !flag.starts_with("--") && flag.size() > 1 && flag[1] != 'W' && flag[1] != 'X';
    if (!short_flags || !flag.ends_with('m') || at + 1 >= words.size()) continue;
    return module(words[at + 1], at + 2, std::move(name));
  }
  // `python /opt/conda/bin/torchrun …`: the console script itself.
  if (at < words.size() && words[at].text.known() && base_name(words[at].text.text) == "torchrun")
    return {Kind::torchrun, at + 1, "torchrun"};
  return {Kind::python, at, std::move(name)};
}

Program named(const std::vector<Word>& words, std::size_t at) {
  std::string name = base_name(words[at].text.text);
  if (is_python(name)) return python(words, at + 1, std::move(name));
  if (name == "tune" && at + 1 < words.size() && words[at + 1].text.text == "run")
    return {Kind::tune, at + 2, "tune run"};
  const auto found =
      std::find_if(kPrograms.begin(), kPrograms.end(), [&](const Named& one) { return one.name == name; });
  if (found == kPrograms.end()) return {Kind::other, at + 1, std::move(name)};
  // `accelerate config`, `ray status`: no launcher.
  if (name == "accelerate" && at + 1 < words.size() && words[at + 1].text.known() &&
      (words[at + 1].text.text == "config" || words[at + 1].text.text == "env" || words[at + 1].text.text == "test"))
    return {Kind::other, at + 1, std::move(name)};
  return {found->kind, at + 1, std::move(name)};
}

}  // namespace

Program program_of(const std::vector<Word>& words) {
  std::size_t at = 0;
  bool fresh_env = false;
  const auto with_env = [&fresh_env](Program program) {
    program.fresh_env = fresh_env;
    return program;
  };
  while (at < words.size()) {
    const Word& word = words[at];
    if (!word.text.known()) {
      // `NAME=$VALUE program` under env: the assignment's value does not matter here.
      if (at > 0 && is_assignment(word.text.text.substr(0, word.text.text.find(kHole)))) {
        ++at;
        continue;
      }
      return with_env({Kind::unknown, at, ""});
    }
    if (!is_wrapper(words, at)) return with_env(named(words, at));
    const auto wrapped = behind_wrapper(words, at);
    if (!wrapped) return with_env({Kind::other, at + 1, base_name(word.text.text)});
    fresh_env = fresh_env || wrapped->fresh_env;
    if (wrapped->module && wrapped->program < words.size())
      return with_env(module(words[wrapped->program], wrapped->program + 1, "python"));
    // `uv run train.py`: a script that python runs.
    at = wrapped->program;
    if (at < words.size() && words[at].text.known() && words[at].text.text.ends_with(".py"))
      return with_env({Kind::python, at, "python"});
  }
  return with_env({Kind::other, std::min(at, words.size()), ""});
}

bool is_launcher(Kind kind) {
  switch (kind) {
    case Kind::torchrun:
    case Kind::tune:
    case Kind::accelerate:
    case Kind::deepspeed:
    case Kind::mpi:
    case Kind::srun:
    case Kind::horovod:
    case Kind::foreign:
      return true;
    case Kind::python:
    case Kind::shell:
    case Kind::other:
    case Kind::unknown:
      break;
  }
  return false;
}

}  // namespace rollcall::launch
