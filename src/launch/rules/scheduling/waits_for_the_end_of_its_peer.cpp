#include "launch/patch.h"
#include "launch/rules/scheduling/family.h"

namespace rollcall::launch::rules {
namespace {

bool one_world(const Role& role, const Role& other) {
  const Told& a = role.told;
  const Told& b = other.told;
  return a.master.known() && b.master.known() && *a.master == *b.master && a.least_nodes.known() &&
         *a.least_nodes > 1 && b.least_nodes.known() && *b.least_nodes == *a.least_nodes && other.pods.known() &&
         *other.pods < *a.least_nodes;
}

void check(const Launch& launch, Judgement& judgement) {
  const Field jobs = launch.root["spec"]["replicatedJobs"];
  for (std::size_t i = 0; i < launch.roles.size() && i < jobs.size(); ++i) {
    const Field others = jobs[i]["dependsOn"];
    for (std::size_t j = 0; j < others.size(); ++j) {
      if (others[j]["status"].text() != "Complete") continue;
      const Role& role = launch.roles[i];
      for (const Role& other : launch.roles) {
        if (other.name != others[j]["name"].text() || !one_world(role, other)) continue;
        judgement.add(scheduling_waits_for_the_end_of_its_peer, others[j]["status"].path())
            .wrong("`{}` is made when `{}` has ended, but `{}` waits for it: both are nodes of the world at `{}`.",
                   role.name, other.name, other.name, *role.told.master)
            .instead("Take the dependency out, or write status: Ready.")
            .patch(remove_patch(others.path()));
      }
    }
  }
}

}  // namespace

const Rule scheduling_waits_for_the_end_of_its_peer{
    .id = "scheduling/waits-for-the-end-of-its-peer",
    .severity = Severity::deny,
    .title = "a role that is made when its peer has ended",
    .why =
        "The pods of this role are made only when those of the other have succeeded. Both are nodes of one world: the "
        "other waits for these before its first step.",
    .wrong = "dependsOn: [{name: leader, status: Complete}] between nodes of one world",
    .right = "no dependsOn",
    .check = check,
    .kinds = {JobKind::job_set},
};

}  // namespace rollcall::launch::rules
