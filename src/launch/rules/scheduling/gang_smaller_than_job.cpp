#include "launch/patch.h"
#include "launch/rules/scheduling/family.h"

namespace rollcall::launch::rules {
namespace {

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
  if (!least.is_integer() || pods < 2 || least.json().get<long long>() >= pods) return;
  judgement.add(scheduling_gang_smaller_than_job, least.path())
      .wrong("{} of the job's {} pods are enough to start.", least.json().dump(), pods)
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
