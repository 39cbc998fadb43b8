#include "launch/rules/gpu/processes.h"

#include "launch/patch.h"
#include "launch/rules/command_text.h"

namespace rollcall::launch::rules {

std::string processes_patch(const Launch& launch, const Role& role) {
  const std::string& path = role.processes_per_node.path();
  // One number is changed; an asserted world size would have to follow.
  if (path == launch.processes.path() && !launch.world_size.given()) return replace_patch(path, *role.gpus_per_pod);
  const Flag* flag = role.command.flag("--nproc-per-node");
  if (launch.kind == JobKind::training_job || flag == nullptr || !role.command.by_torchrun() || flag->path != path)
    return {};
  return replace_flag_patch(role, *flag, std::to_string(*role.gpus_per_pod));
}

}  // namespace rollcall::launch::rules
