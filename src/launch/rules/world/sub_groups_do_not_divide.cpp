#include <string>

#include "launch/kinds/pods.h"
#include "launch/rules/world/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field group = launch.root["spec"]["leaderWorkerTemplate"];
  const Fact<int> size = count_of(group["size"], 1);
  const Field field = group["subGroupPolicy"]["subGroupSize"];
  const Fact<int> part = count_of(field, 0);
  if (!field.present() || !size.known() || !part.known() || *part < 1) return;
  const bool alone = group["subGroupPolicy"]["subGroupPolicyType"].text() == "LeaderExcluded";
  if (*part <= *size && (*size - 1) % *part == 0) return;
  if (*part <= *size && !alone && *size % *part == 0) return;
  judgement.add(world_sub_groups_do_not_divide, field.path())
      .wrong("groups of {} are to be made of sub-groups of {}.", *size, *part)
      .instead("Write a number that divides {}.",
               alone ? std::to_string(*size - 1) : fmt::format("{} or {}", *size, *size - 1));
}

}  // namespace

const Rule world_sub_groups_do_not_divide{
    .id = "world/sub-groups-do-not-divide",
    .severity = Severity::deny,
    .title = "sub-groups that do not divide the group",
    .why =
        "The controller refuses a LeaderWorkerSet whose subGroupSize divides neither size nor size - 1, which is the "
        "group without its leader, or is larger than the group.",
    .wrong = "size: 8 with subGroupSize: 3",
    .right = "size: 8 with subGroupSize: 4",
    .check = check,
    .kinds = {JobKind::leader_worker_set},
};

}  // namespace rollcall::launch::rules
