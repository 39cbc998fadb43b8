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
    if (!believed.known() || !there.count.known() || *believed >= *there.count) continue;
    // num-gpus: "0" keeps work off the head.
    if (group.head && *believed == 0) continue;
    // KubeRay counts no Gaudi and no Neuron device among GPUs.
    if (there.resource.find("gpu") == std::string::npos && there.resource.find("mig-") == std::string::npos) continue;
    if (believed.path() == there.count.path()) continue;
    judgement.add(ray_fewer_gpus_than_the_pod, believed.path())
        .wrong("Ray is told of {} GPUs in each pod of {}, but its container gets {}: {} stay idle.", *believed,
               group.name, *there.count, *there.count - *believed)
        .instead("Leave num-gpus out: KubeRay takes it from the container's limits.")
        .patch(remove_patch(believed.path()));
  }
}

}  // namespace

const Rule ray_fewer_gpus_than_the_pod{
    .id = "ray/fewer-gpus-than-the-pod",
    .severity = Severity::warn,
    .title = "Ray is told of fewer GPUs than the pod has",
    .why =
        "Ray places work on the GPUs it was told of. The others are reserved for the pod and idle, and a placement "
        "group "
        "that counts on all of them waits for ever.",
    .wrong = "num-gpus: \"1\" with nvidia.com/gpu: 8",
    .right = "no num-gpus",
    .check = check,
    .kinds = {JobKind::ray_cluster, JobKind::ray_job},
};

}  // namespace rollcall::launch::rules
