#include "launch/kinds/ray.h"
#include "launch/rules/ray/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const RayGroup& group : ray_groups(launch)) {
    const Field resources = group.spec["resources"];
    if (!resources.is_object() || resources.json().empty()) continue;
    for (const char* name : {"num-cpus", "num-gpus", "memory", "resources"}) {
      const Field parameter = group.spec["rayStartParams"][name];
      if (!parameter.is_string() || parameter.text().empty()) continue;
      judgement.add(ray_resources_twice, parameter.path())
          .wrong("{} has {} in rayStartParams beside resources of its own; KubeRay takes one of the two only.",
                 group.name, name)
          .instead("Keep one of them.");
    }
  }
}

}  // namespace

const Rule ray_resources_twice{
    .id = "ray/resources-twice",
    .severity = Severity::deny,
    .title = "a Ray group says its resources twice",
    .why =
        "KubeRay refuses a cluster in which a group has both `resources` and num-cpus, num-gpus, memory or resources "
        "in "
        "rayStartParams. It does so when it reconciles, in an event: the object is there, and no pod is ever made.",
    .wrong = "resources: {GPU: \"8\"} beside rayStartParams: {num-gpus: \"8\"}",
    .right = "rayStartParams: {num-gpus: \"8\"}",
    .check = check,
    .kinds = {JobKind::ray_cluster, JobKind::ray_job},
};

}  // namespace rollcall::launch::rules
