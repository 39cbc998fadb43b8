#include "launch/patch.h"
#include "launch/rules/scheduling/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field spec = launch.root["spec"];
  const Field own = spec["minAvailable"];
  const Field least = launch.kind == JobKind::volcano_job ? own : spec["runPolicy"]["schedulingPolicy"]["minAvailable"];
  if (!least.is_integer() || spec["elasticPolicy"].present()) return;
  if (spec["launcherCreationPolicy"].text() == "WaitForWorkersReady") return;
  int pods = 0;
  for (const Role& role : launch.roles) {
    if (!role.pods.known()) return;
    pods += *role.pods;
  }
  if (pods == 0 || least.json().get<long long>() <= pods) return;
  judgement.add(scheduling_gang_larger_than_job, least.path())
      .wrong("{} pods must have a place before one starts, but the job has {}.", least.json().dump(), pods)
      .instead("Write {}.", pods)
      .patch(replace_patch(least.path(), pods));
}

}  // namespace

const Rule scheduling_gang_larger_than_job{
    .id = "scheduling/gang-larger-than-job",
    .severity = Severity::deny,
    .title = "a gang of more pods than the job has",
    .why =
        "The scheduler starts a gang when minAvailable of its pods have a place. With fewer pods than that it never "
        "does: all of them stay Pending. Volcano refuses such a Job at once.",
    .wrong = "minAvailable: 4 with two pods",
    .right = "minAvailable: 2",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
