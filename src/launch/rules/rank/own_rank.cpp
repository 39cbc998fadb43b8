#include "launch/rules/rank/own_rank.h"

#include "launch/rules/command_text.h"

namespace rollcall::launch::rules {

std::string own_rank_patch(const Launch& launch, const Role& role) {
  const bool indexed = launch.kind == JobKind::batch_job && launch.root["spec"]["completionMode"].text() == "Indexed";
  if (!indexed && launch.kind != JobKind::job_set && launch.kind != JobKind::leader_worker_set) return {};
  // Beside pods of another role the index would be counted twice.
  if (launch.roles.size() != 1) return {};
  for (const auto& [name, flag] : role.command.flags)
    if (flag.path == role.told.node_rank.path() && flag.value.known())
      return replace_flag_patch(role, flag, "$(" + launch.index_variable + ")");
  return {};
}

}  // namespace rollcall::launch::rules
