#include <algorithm>

#include "launch/patch.h"
#include "launch/rules/scheduling/family.h"

namespace rollcall::launch::rules {
namespace {

/// Whether a launcher says that it makes do with `pods`: `--nnodes=2:4` with a gang of 2.
bool elastic_down_to(const Launch& launch, long long pods) {
  return std::any_of(launch.roles.begin(), launch.roles.end(), [pods](const Role& role) {
    const Fact<int>& least = role.told.least_nodes;
    return least.known() && role.told.nodes.known() && *least < *role.told.nodes && *least <= pods;
  });
}

void check(const Launch& launch, Judgement& judgement) {
  const Field least = launch.root["spec"]["minAvailable"];
  // Tasks that wait for others cannot be part of the gang.
  const Field tasks = launch.root["spec"]["tasks"];
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (tasks[i]["dependsOn"].present()) return;
  int pods = 0;
  for (const Role& role : launch.roles) {
    if (!role.pods.known()) return;
    pods += *role.pods;
  }
  if (!least.is_integer() || pods < 2) return;
  const long long gang = least.json().get<long long>();
  // Volcano's admission writes the sum of the tasks in place of 0 (patchDefaultMinAvailable in mutate_job.go).
  if (gang == 0 || gang >= pods || elastic_down_to(launch, gang)) return;
  judgement.add(scheduling_gang_smaller_than_job, least.path())
      .wrong("{} of the job's {} pods are enough to start.", gang, pods)
      .instead("Write {}.", pods)
      .patch(replace_patch(least.path(), pods));
}

}  // namespace

const Rule scheduling_gang_smaller_than_job{
    .id = "scheduling/gang-smaller-than-job",
    .severity = Severity::warn,
    .title = "a gang that starts with a part of the job",
    .why =
        "Volcano starts a job as soon as minAvailable of its pods have a place. Two jobs that each hold a part of what "
        "they need wait for each other, with the GPUs in their hands.",
    .wrong = "minAvailable: 1 with four pods",
    .right = "minAvailable: 4",
    .check = check,
    .kinds = {JobKind::volcano_job},
};

}  // namespace rollcall::launch::rules
