#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "launch/rules/launcher/family.h"

namespace rollcall::launch::rules {
namespace {

// Flags whose value is a number or an address: text with a `$` in it can be neither.
constexpr std::array<std::string_view, 15> kFlags{"--nnodes",
                                                  "--nproc-per-node",
                                                  "--node-rank",
                                                  "--master-addr",
                                                  "--master-port",
                                                  "--rdzv-endpoint",
                                                  "--num-machines",
                                                  "--num-processes",
                                                  "--machine-rank",
                                                  "--main-process-ip",
                                                  "--main-process-port",
                                                  "--num-nodes",
                                                  "--num-gpus",
                                                  "--np",
                                                  "--npernode"};

/// The name in the first `$NAME` or `${NAME}` of the text; empty = there is none.
std::string variable_in(const std::string& text) {
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1)) {
    const std::size_t start = at + 1 < text.size() && text[at + 1] == '{' ? at + 2 : at + 1;
    std::size_t end = start;
    while (end < text.size() && in_name(text[end])) ++end;
    if (end > start && std::isdigit(static_cast<unsigned char>(text[start])) == 0)
      return text.substr(start, end - start);
  }
  return {};
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Command& command = role.command;
    if (!command.launcher.known()) continue;
    for (const auto& [name, flag] : command.flags) {
      // Only an element of its own has a patch: what stands in a script, a shell has expanded.
      if (flag.patch.empty() || !flag.value.known()) continue;
      if (std::find(kFlags.begin(), kFlags.end(), name) == kFlags.end()) continue;
      const std::string variable = variable_in(flag.value.text);
      if (variable.empty()) continue;
      judgement.add(launcher_no_shell_to_expand, flag.path)
          .wrong("`{}`: no shell runs this command, so {} gets `{}` as it stands.", flag.written(), command.program,
                 flag.value.text)
          .instead("Write `$({})`, which the kubelet fills in from env, or start it by bash -c.", variable);
    }
  }
}

}  // namespace

const Rule launcher_no_shell_to_expand{
    .id = "launcher/no-shell-to-expand",
    .severity = Severity::deny,
    .title = "a shell variable in a command that no shell runs",
    .why =
        "The container's command is started as it is written. Kubernetes fills in `$(NAME)` only; `$NAME` and "
        "`${NAME}` "
        "reach the launcher as text, which is neither a number nor an address, and it ends or waits for a host of that "
        "name.",
    .wrong = "command: [torchrun, --nproc-per-node=$GPUS, train.py]",
    .right = "command: [torchrun, --nproc-per-node=$(GPUS), train.py]",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
