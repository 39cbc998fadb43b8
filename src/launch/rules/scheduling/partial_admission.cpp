#include "launch/kinds/shape.h"
#include "launch/patch.h"
#include "launch/rules/scheduling/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field annotation = launch.root["metadata"]["annotations"]["kueue.x-k8s.io/job-min-parallelism"];
  const auto least = whole_number(annotation.text());
  if (!least) return;
  for (const Role& role : launch.roles) {
    if (!several(role) || *least >= *role.told.least_nodes || *least >= *role.pods) continue;
    judgement.add(scheduling_partial_admission, annotation.path())
        .wrong("Kueue may start {} of the {} pods, but the launcher waits for {} nodes.", *least, *role.pods,
               *role.told.least_nodes)
        .instead("Take the annotation out, or start an elastic world with --nnodes={}:{}.", *least, *role.pods)
        .patch(remove_patch(annotation.path()));
  }
}

}  // namespace

const Rule scheduling_partial_admission{
    .id = "scheduling/partial-admission",
    .severity = Severity::warn,
    .title = "a fixed world that Kueue may admit in part",
    .why =
        "With job-min-parallelism Kueue may admit the Job with fewer pods than it asks for, and lowers parallelism. "
        "The launcher still waits for as many nodes as its flag says.",
    .wrong = "kueue.x-k8s.io/job-min-parallelism: \"2\" with torchrun --nnodes=4",
    .right = "no such annotation",
    .check = check,
    .kinds = {JobKind::batch_job},
};

}  // namespace rollcall::launch::rules
