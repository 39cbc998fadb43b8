#include "launch/rules/world/whole.h"

#include <algorithm>

#include "launch/kinds/context.h"

namespace rollcall::launch::rules {

bool is_whole_world(const Launch& launch, const Role& role) {
  if (launch.index_variable.empty() || role.told.rank_variable != launch.index_variable) return false;
  if (launch.kind == JobKind::leader_worker_set) return true;
  // Copies of a replicated Job share their indexes: rank/same-rank-twice.
  const Field jobs = launch.root["spec"]["replicatedJobs"];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Field copies = jobs[i]["replicas"];
    if (copies.present() && copies.json() != 1) return false;
  }
  const auto others = std::count_if(launch.roles.begin(), launch.roles.end(), [](const Role& one) {
    return one.command.launcher.known() && (*one.command.launcher != "none" || one.told.master.given());
  });
  return launch.around != nullptr && launch.around->jobs() == 1 && others == 1;
}

}  // namespace rollcall::launch::rules
