#include "launch/rules/launcher/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Command& command = role.command;
    const HostFile& file = command.host_file;
    if (!command.launcher.known() || *command.launcher != "deepspeed" || !file.known) continue;
    if (file.broken.empty() && !file.hosts.empty()) continue;
    const Flag* flag = command.flag("--hostfile");
    auto words = judgement.add(launcher_broken_host_file, flag == nullptr ? command.launcher.path() : flag->path);
    if (file.broken.empty()) {
      words.wrong("the host file ({}) names no host.", file.from);
    } else {
      words.wrong("the host file ({}) has the line `{}`, which deepspeed does not read.", file.from, file.broken);
    }
    words.instead("Write one line a node: its name, a blank, `slots=` and its number of GPUs.");
  }
}

}  // namespace

const Rule launcher_broken_host_file{
    .id = "launcher/broken-host-file",
    .severity = Severity::deny,
    .title = "a host file that deepspeed does not read",
    .why =
        "deepspeed takes lines of the form `NAME slots=N` only. It ends at the first other line, and at a file "
        "without any.",
    .wrong = "worker-0:8",
    .right = "worker-0 slots=8",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
