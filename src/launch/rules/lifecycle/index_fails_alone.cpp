#include "launch/kinds/pods.h"
#include "launch/patch.h"
#include "launch/rules/lifecycle/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (std::size_t i = 0; i < launch.roles.size(); ++i) {
    const Role& role = launch.roles[i];
    const Field spec = job_spec_of(launch, i);
    const Field limit = spec["backoffLimitPerIndex"];
    const Field most = spec["maxFailedIndexes"];
    if (!limit.is_integer() || !several(role) || (most.is_integer() && most.json().get<long long>() == 0)) continue;
    judgement.add(lifecycle_index_fails_alone, limit.path())
        .wrong("when one index has failed {} times the other {} of its {} nodes run on, and wait for it.",
               limit.json().get<long long>() + 1, *role.told.least_nodes - 1, *role.told.least_nodes)
        .instead("Write maxFailedIndexes: 0 beside it, so that the Job ends as one.")
        .patch(add_patch(most.path(), 0));
  }
}

}  // namespace

const Rule lifecycle_index_fails_alone{
    .id = "lifecycle/index-fails-alone",
    .severity = Severity::warn,
    .title = "a Job that goes on without one of its ranks",
    .why =
        "With backoffLimitPerIndex an index that has used its retries is given up, and the others run on. In one world "
        "they wait for a rank that never comes back.",
    .wrong = "backoffLimitPerIndex: 2 with two nodes of one world",
    .right = "the same with maxFailedIndexes: 0",
    .check = check,
    .kinds = {JobKind::batch_job, JobKind::job_set},
};

}  // namespace rollcall::launch::rules
