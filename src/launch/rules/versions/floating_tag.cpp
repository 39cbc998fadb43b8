#include <algorithm>

#include "launch/pod/image.h"
#include "launch/rules/versions/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const bool several =
      launch.roles.size() > 1 || std::any_of(launch.roles.begin(), launch.roles.end(), [](const Role& role) {
        return role.asks_for_many() || (role.nodes.known() && *role.nodes > 1);
      });
  if (!several) return;
  for (const Role& role : launch.roles) {
    const Field image = role.container["image"];
    const auto read = parse_image(image.text());
    if (!image.is_string() || !read.ok() || !read->digest.empty()) continue;
    if (!read->tag.empty() && read->tag != "latest") continue;
    judgement.add(versions_floating_tag, image.path())
        .wrong("`{}` can be another image on each node and after each restart.", image.text())
        .instead("Write a tag that never moves, or a digest.");
  }
}

}  // namespace

const Rule versions_floating_tag{
    .id = "versions/floating-tag",
    .severity = Severity::info,
    .title = "an image whose tag moves",
    .why =
        "Each node pulls what the tag means at that moment. When somebody pushes while pods start or one restarts, two "
        "releases of NCCL meet in one communicator and refuse each other, or hang.",
    .wrong = "image: registry.example.test/train:latest",
    .right = "image: registry.example.test/train:2.4.1",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
