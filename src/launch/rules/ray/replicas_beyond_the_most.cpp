#include "launch/kinds/pods.h"
#include "launch/kinds/ray.h"
#include "launch/patch.h"
#include "launch/rules/ray/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const RayGroup& group : ray_groups(launch)) {
    const Field replicas = group.spec["replicas"];
    const Field most = group.spec["maxReplicas"];
    if (group.head || !replicas.present() || !most.present()) continue;
    const Fact<int> wanted = count_of(replicas, 0);
    const Fact<int> allowed = count_of(most, 0);
    if (!wanted.known() || !allowed.known() || *wanted <= *allowed) continue;
    judgement.add(ray_replicas_beyond_the_most, replicas.path())
        .wrong("{} replicas of {}, but maxReplicas is {}: KubeRay makes {}.", *wanted, group.name, *allowed, *allowed)
        .instead("Write maxReplicas: {}, or fewer replicas.", *wanted)
        .patch(replace_patch(most.path(), *wanted));
  }
}

}  // namespace

const Rule ray_replicas_beyond_the_most{
    .id = "ray/replicas-beyond-the-most",
    .severity = Severity::warn,
    .title = "more replicas than maxReplicas",
    .why =
        "KubeRay keeps a worker group within minReplicas and maxReplicas and says so only in its log. A program that "
        "counts on all replicas waits for pods that are never made.",
    .wrong = "replicas: 8 with maxReplicas: 4",
    .right = "replicas: 8 with maxReplicas: 8",
    .check = check,
    .kinds = {JobKind::ray_cluster, JobKind::ray_job},
};

}  // namespace rollcall::launch::rules
