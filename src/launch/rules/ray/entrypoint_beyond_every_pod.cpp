#include <algorithm>

#include "launch/kinds/ray.h"
#include "launch/rules/ray/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field wanted = launch.root["spec"]["entrypointNumGpus"];
  if (!wanted.present() || !wanted.json().is_number()) return;
  const auto groups = ray_groups(launch);
  int most = 0;
  for (const RayGroup& group : groups) {
    const Fact<int> gpus = ray_gpus(group);
    if (!gpus.known()) return;
    most = std::max(most, *gpus);
  }
  if (groups.empty() || wanted.json().get<double>() <= most) return;
  judgement.add(ray_entrypoint_beyond_every_pod, wanted.path())
      .wrong("the entrypoint asks for {} GPUs on one node, and no pod of the cluster has more than {}.",
             wanted.json().dump(), most)
      .instead("Write what one pod has; the tasks and actors that the entrypoint starts ask for GPUs themselves.");
}

}  // namespace

const Rule ray_entrypoint_beyond_every_pod{
    .id = "ray/entrypoint-beyond-every-pod",
    .severity = Severity::deny,
    .title = "the entrypoint of a RayJob asks for more GPUs than any pod has",
    .why =
        "Ray starts the entrypoint on one node that has what it asks for. When no pod can have it the job stays "
        "Pending, "
        "and the cluster with all its GPUs waits beside it.",
    .wrong = "entrypointNumGpus: 16 with workers of 8 GPUs",
    .right = "entrypointNumGpus: 8",
    .check = check,
    .kinds = {JobKind::ray_job},
};

}  // namespace rollcall::launch::rules
