#include "launch/kinds/ray.h"
#include "launch/rules/ray/family.h"
#include "launch/rules/ray/image_version.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const auto groups = ray_groups(launch);
  if (groups.empty() || !groups.front().head) return;
  const RayImage head = ray_image_of(groups.front().container["image"].text());
  if (head.version.empty()) return;
  for (const RayGroup& group : groups) {
    const Field image = group.container["image"];
    const RayImage worker = ray_image_of(image.text());
    if (group.head || worker.version.empty()) continue;
    if (worker.version != head.version) {
      judgement.add(ray_versions_differ, image.path())
          .wrong("`{}` has Ray {}, the head has Ray {}.", image.text(), worker.version, head.version)
          .instead("Write images of one Ray version in all groups.");
    } else if (!worker.python.empty() && !head.python.empty() && worker.python != head.python) {
      judgement.add(ray_versions_differ, image.path())
          .wrong("`{}` has Python {}, the head has Python {}.", image.text(), worker.python, head.python)
          .instead("Write images of one Python version in all groups.");
    }
  }
}

}  // namespace

const Rule ray_versions_differ{
    .id = "ray/versions-differ",
    .severity = Severity::deny,
    .title = "head and workers of different Ray or Python versions",
    .why =
        "A Ray process that joins a cluster compares its Ray and Python version with the head's and ends with `Version "
        "mismatch` when they differ: the workers restart for ever and the job waits for them.",
    .wrong = "head ray:2.46.0, workers ray:2.44.1-gpu",
    .right = "head ray:2.46.0, workers ray:2.46.0-gpu",
    .check = check,
    .kinds = {JobKind::ray_cluster, JobKind::ray_job},
};

}  // namespace rollcall::launch::rules
