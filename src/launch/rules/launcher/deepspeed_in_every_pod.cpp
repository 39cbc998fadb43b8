#include "launch/rules/launcher/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    const Flag* hosts = role.command.flag("--hostfile");
    if (!launcher.known() || *launcher != "deepspeed" || hosts == nullptr || !hosts->value.known()) continue;
    // No regular file is no host file: each pod trains for itself (runner.py, fetch_hostfile).
    if (hosts->value.text == "/dev/null") continue;
    if (role.command.flag("--no-ssh") != nullptr || !role.nodes.known() || *role.nodes < 2) continue;
    if (!role.asks_for_many() && launch.kind != JobKind::pytorch_job) continue;
    judgement.add(launcher_deepspeed_in_every_pod, launcher.path())
        .wrong("each of the {} pods starts the whole job by `{}`.", *role.nodes, hosts->written())
        .instead(
            "Start it by torchrun, which deepspeed.initialize() works under, or by deepspeed --no_ssh with "
            "--node_rank.");
  }
}

}  // namespace

const Rule launcher_deepspeed_in_every_pod{
    .id = "launcher/deepspeed-in-every-pod",
    .severity = Severity::deny,
    .title = "deepspeed with a host file in every pod",
    .why =
        "The deepspeed launcher starts the whole job from one node over ssh. In every pod of a template each starts it "
        "anew: nodes are started several times, or not at all where no ssh server runs.",
    .wrong = "deepspeed --hostfile=/job/hostfile train.py in a PyTorchJob",
    .right = "torchrun train.py",
    .check = check,
    .kinds = {JobKind::pytorch_job, JobKind::batch_job, JobKind::job_set, JobKind::stateful_set},
};

}  // namespace rollcall::launch::rules
