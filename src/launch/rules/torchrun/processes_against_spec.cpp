#include <algorithm>
#include <cctype>
#include <string>

#include "launch/kinds/shape.h"
#include "launch/rules/torchrun/family.h"

namespace rollcall::launch::rules {
namespace {

/// torchrun counts these itself; other words name devices of a kind that it may know (`xpu`).
bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Flag* flag = role.command.flag("--nproc-per-node");
    if (flag == nullptr || !flag->value.known()) continue;
    if (flag->value.text.find('$') != std::string::npos) continue;  // launcher/no-shell-to-expand
    if (launch.kind != JobKind::training_job && (!role.command.by_torchrun())) continue;
    const std::string& text = flag->value.text;
    // A variable that nobody expands: launcher/no-shell-to-expand.
    if (launch.kind != JobKind::training_job && text.find('$') != std::string::npos) continue;
    const auto& started = role.processes_per_node;
    const bool counted = started.known() && started.path() == flag->path;
    if (!counted ? is_word(text) : *started > 0 && (!launch.processes.known() || *launch.processes == *started))
      continue;
    auto words = judgement.add(torchrun_processes_against_spec, flag->path);
    if (!counted || *started == 0) {
      words.wrong("`{}` is no number of processes.", flag->written());
    } else if (whole_number(text)) {
      words.wrong("`{}`, but spec.nprocPerNode is {}.", flag->written(), *launch.processes);
    } else {
      words.wrong("`{}` starts a process for each of the {} GPUs, but spec.nprocPerNode is {}.", flag->written(),
                  *started, *launch.processes);
    }
    // With the flag gone the spec's number counts; it must agree with the GPUs, or another finding would come.
    const bool agrees = launch.processes.known() && role.gpus_per_pod.known() &&
                        (*role.gpus_per_pod == 0 || *role.gpus_per_pod == *launch.processes) &&
                        !launch.world_size.given();
    if (launch.kind != JobKind::training_job) {
      words.instead("Write the number of the pod's GPUs.");
      continue;
    }
    words.instead("Leave the flag out: the operator hands over PET_NPROC_PER_NODE.").patch(agrees ? flag->patch : "");
  }
}

}  // namespace

const Rule torchrun_processes_against_spec{
    .id = "torchrun/processes-against-spec",
    .severity = Severity::deny,
    .title = "torchrun --nproc-per-node contradicts the spec",
    .why =
        "torchrun starts as many processes as its flag says, the roll call and every count of ranks go by the spec: "
        "ranks and world size differ from what the job was checked for.",
    .wrong = "torchrun --nproc-per-node=4 with nprocPerNode: 8",
    .right = "torchrun train.py with nprocPerNode: 8",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
