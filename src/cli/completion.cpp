#include <algorithm>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>

#include "cli/completion/scripts.h"
#include "cli/declare.h"
#include "cli/verb.h"
#include "launch/rules/registry.h"

namespace rollcall::cli {
namespace {

constexpr Flag kFlags[] = {
    {"shell", "The shell that is to complete", Takes::choice, "SHELL", kShells, false, true},
};

std::vector<std::string> rules() {
  std::vector<std::string> ids;
  for (const launch::Rule* rule : launch::all_rules()) ids.emplace_back(rule->id);
  return ids;
}

}  // namespace

std::span<const Flag> completion_flags() { return kFlags; }

Run declare_completion(CLI::App& command) {
  const auto shell = std::make_shared<std::string>();
  declare(command, kFlags[0], *shell);
  command.footer(
      "bash: source <(rollcall completion bash)\n"
      "zsh:  rollcall completion zsh > \"${fpath[1]}/_rollcall\"\n"
      "fish: rollcall completion fish > ~/.config/fish/completions/rollcall.fish");
  return [shell](Streams streams) {
    streams.out << completion_script(*shell, all_verbs(), rules());
    return kOk;
  };
}

}  // namespace rollcall::cli
