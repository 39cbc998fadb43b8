#include "launch/rules/world/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field size = launch.root["spec"]["leaderWorkerTemplate"]["size"];
  if (!size.is_integer() || size.json().get<long long>() > 0) return;
  judgement.add(world_no_pods_in_a_group, size.path())
      .wrong("groups of {} pods, but each has a leader at least.", size.json().dump())
      .instead("Write how many pods are one world.");
}

}  // namespace

const Rule world_no_pods_in_a_group{
    .id = "world/no-pods-in-a-group",
    .severity = Severity::deny,
    .title = "a group without a pod",
    .why = "A group has at least its leader. The controller refuses a LeaderWorkerSet of size 0.",
    .wrong = "size: 0",
    .right = "size: 2",
    .check = check,
    .kinds = {JobKind::leader_worker_set},
};

}  // namespace rollcall::launch::rules
