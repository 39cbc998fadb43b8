#include "launch/patch.h"
#include "launch/rules/scheduling/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field spec = launch.root["spec"];
  const Field least = spec["runPolicy"]["schedulingPolicy"]["minAvailable"];
  if (spec["launcherCreationPolicy"].text() != "WaitForWorkersReady" || !least.is_integer()) return;
  for (const Role& role : launch.roles) {
    if (role.name != "Worker" || !role.pods.known() || least.json().get<long long>() <= *role.pods) continue;
    judgement.add(scheduling_gang_waits_for_launcher, least.path())
        .wrong("{} pods must have a place before one starts, but only the {} Workers exist until they are ready.",
               least.json().dump(), *role.pods)
        .instead("Write {}, or leave launcherCreationPolicy out.", *role.pods)
        .patch(replace_patch(least.path(), *role.pods));
  }
}

}  // namespace

const Rule scheduling_gang_waits_for_launcher{
    .id = "scheduling/gang-waits-for-launcher",
    .severity = Severity::deny,
    .title = "a gang that counts a Launcher that waits for the Workers",
    .why =
        "With WaitForWorkersReady the Launcher is made only when the Workers are ready. A gang of more pods than "
        "Workers is scheduled only when the Launcher is there: both sides wait.",
    .wrong = "launcherCreationPolicy: WaitForWorkersReady, minAvailable: 3 and two Workers",
    .right = "minAvailable: 2",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
