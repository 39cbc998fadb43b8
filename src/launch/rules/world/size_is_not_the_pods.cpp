#include <string>
#include <utility>

#include "launch/patch.h"
#include "launch/rules/command_text.h"
#include "launch/rules/world/family.h"
#include "launch/rules/world/whole.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    const auto& size = role.told.nodes;
    if (!launcher.known() || role.command.by_torchrun()) continue;  // of --nnodes another rule speaks
    if (!size.known() || !role.told.least_nodes.known() || *size != *role.told.least_nodes || *size < 2) continue;
    if (!role.nodes.known() || *role.nodes < 1 || *size == *role.nodes || !is_whole_world(launch, role)) continue;
    // A python program of several GPUs may start further processes by itself, and count those.
    if (*launcher == "none" && (!role.gpus_per_pod.known() || *role.gpus_per_pod > 1)) continue;
    const Field completions = launch.root["spec"]["completions"];
    if (launch.kind == JobKind::batch_job && completions.is_integer() && completions.json() == *size) continue;
    const std::string right = std::to_string(*role.nodes);
    std::string patch;
    if (size.path().ends_with(".value")) patch = replace_patch(size.path(), right);
    for (const auto& [name, flag] : role.command.flags)
      if (flag.path == size.path()) patch = replace_flag_patch(role, flag, right);
    // accelerate's number of processes is the total over its machines: one cannot be changed without the other.
    if (*launcher == "accelerate") patch.clear();
    judgement.add(world_size_is_not_the_pods, size.path())
        .wrong("the world is to have {} nodes, but the {} makes {} pods, each of which takes its index for its rank.",
               *size, launch.object.kind, *role.nodes)
        .instead("Write {}.", right)
        .patch(std::move(patch));
  }
}

}  // namespace

const Rule world_size_is_not_the_pods{
    .id = "world/size-is-not-the-pods",
    .severity = Severity::deny,
    .title = "a world of another size than there are pods",
    .why =
        "Each pod takes its index for its rank, so there are as many ranks as pods. A larger world waits for ranks "
        "that never come, and of a smaller one the last pods are no part.",
    .wrong = "accelerate launch --num_machines=4 in an Indexed Job of two pods",
    .right = "accelerate launch --num_machines=2",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
