#include <string>

#include "launch/kinds/accelerators.h"
#include "launch/kinds/ray.h"
#include "launch/patch.h"
#include "launch/rules/ray/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const RayGroup& group : ray_groups(launch)) {
    const Fact<int> believed = ray_gpus(group);
    const Accelerators there = accelerators_of(group.container);
    if (!believed.known() || !there.count.known() || *there.count == 0 || *believed <= *there.count) continue;
    judgement.add(ray_more_gpus_than_the_pod, believed.path())
        .wrong("Ray is told of {} GPUs in each pod of {}, but its container gets {} {}.", *believed, group.name,
               *there.count, there.resource)
        .instead("Leave num-gpus out: KubeRay takes it from the container's limits.")
        .patch(remove_patch(believed.path()));
  }
}

}  // namespace

const Rule ray_more_gpus_than_the_pod{
    .id = "ray/more-gpus-than-the-pod",
    .severity = Severity::deny,
    .title = "Ray is told of more GPUs than the pod has",
    .why =
        "Ray hands out the GPUs it was told of, by number. Actors that get one beyond the container's own find no such "
        "device, while the rest of the group waits for them.",
    .wrong = "num-gpus: \"8\" with nvidia.com/gpu: 4",
    .right = "no num-gpus",
    .check = check,
    .kinds = {JobKind::ray_cluster, JobKind::ray_job},
};

}  // namespace rollcall::launch::rules
