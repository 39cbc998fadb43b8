#include "launch/kinds/ray.h"
#include "launch/patch.h"
#include "launch/rules/ray/family.h"
#include "launch/rules/ray/image_version.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const auto groups = ray_groups(launch);
  const Field stated = ray_cluster_spec(launch)["rayVersion"];
  if (groups.empty() || !groups.front().head || !stated.is_string() || stated.text().empty()) return;
  const RayImage head = ray_image_of(groups.front().container["image"].text());
  if (head.version.empty() || head.version == stated.text()) return;
  judgement.add(ray_version_against_image, stated.path())
      .wrong("rayVersion `{}`, but the head's image has Ray {}.", stated.text(), head.version)
      .instead("Write {}.", head.version)
      .patch(replace_patch(stated.path(), head.version));
}

}  // namespace

const Rule ray_version_against_image{
    .id = "ray/version-against-image",
    .severity = Severity::warn,
    .title = "rayVersion is not that of the image",
    .why =
        "KubeRay does not look into the image: by rayVersion it chooses probes, flags and the autoscaler's protocol. "
        "Those of another version can kill a healthy pod or keep one waiting.",
    .wrong = "rayVersion: 2.9.0 with image ray:2.46.0",
    .right = "rayVersion: 2.46.0",
    .check = check,
    .kinds = {JobKind::ray_cluster, JobKind::ray_job},
};

}  // namespace rollcall::launch::rules
