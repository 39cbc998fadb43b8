#include "launch/kinds/accelerators.h"
#include "launch/kinds/ray.h"
#include "launch/rules/ray/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const RayGroup& group : ray_groups(launch)) {
    const Fact<int> believed = ray_gpus(group);
    const Accelerators there = accelerators_of(group.container);
    if (!believed.known() || *believed == 0 || !there.count.known() || *there.count > 0) continue;
    judgement.add(ray_gpus_without_request, believed.path())
        .wrong("Ray is told of {} GPUs in each pod of {}, but its container asks for none.", *believed, group.name)
        .instead("Write nvidia.com/gpu: {} in the container's resources.limits; num-gpus follows from it.", *believed);
  }
}

}  // namespace

const Rule ray_gpus_without_request{
    .id = "ray/gpus-without-request",
    .severity = Severity::warn,
    .title = "GPUs that Ray is told of and nobody requests",
    .why =
        "The scheduler gives the pod no GPU, and Ray places work there that needs one: it finds no device, or takes "
        "one "
        "that another pod owns.",
    .wrong = "num-gpus: \"8\" without nvidia.com/gpu",
    .right = "nvidia.com/gpu: 8 without num-gpus",
    .check = check,
    .kinds = {JobKind::ray_cluster, JobKind::ray_job},
};

}  // namespace rollcall::launch::rules
