#include <string>

#include "launch/rules/launcher/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Command& command = role.command;
    if (!command.launcher.known() || *command.launcher != "accelerate" || !several(role) || !role.asks_for_many())
      continue;
    const Flag* deepspeed = command.flag("--use-deepspeed");
    const Flag* launcher = command.flag("--deepspeed-multinode-launcher");
    if (deepspeed == nullptr || !deepspeed->value.known() || command.flag("--cpu") != nullptr) continue;
    // Without either, a file of the image may say which.
    if (launcher == nullptr && command.config_from.empty()) continue;
    if (launcher != nullptr && !launcher->value.known()) continue;
    const std::string through = launcher == nullptr ? "pdsh" : launcher->value.text;
    if (through == "standard" || through == "nossh") continue;
    judgement.add(launcher_accelerate_over_ssh, launcher == nullptr ? deepspeed->path : launcher->path)
        .wrong("each of the {} pods starts the whole DeepSpeed job through {}.", *role.pods, through)
        .instead("Write deepspeed_multinode_launcher: standard, which starts only the pod's own processes.");
  }
}

}  // namespace

const Rule launcher_accelerate_over_ssh{
    .id = "launcher/accelerate-over-ssh",
    .severity = Severity::deny,
    .title = "accelerate hands a DeepSpeed job to a launcher over ssh in every pod",
    .why =
        "With DeepSpeed and several machines accelerate starts `deepspeed`, which reaches the machines by pdsh unless "
        "deepspeed_multinode_launcher says otherwise. In every pod of a template it starts the whole job anew, or, "
        "without a host file, trains alone on 127.0.0.1.",
    .wrong = "accelerate launch --use_deepspeed --deepspeed_multinode_launcher pdsh --num_machines 2",
    .right = "accelerate launch --use_deepspeed --deepspeed_multinode_launcher standard --num_machines 2",
    .check = check,
    .kinds = {JobKind::pytorch_job, JobKind::batch_job, JobKind::job_set, JobKind::leader_worker_set,
              JobKind::volcano_job, JobKind::stateful_set},
};

}  // namespace rollcall::launch::rules
