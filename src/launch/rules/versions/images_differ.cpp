#include "launch/rules/versions/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (launch.roles.size() < 2) return;
  const Field first = launch.roles[0].container["image"];
  const Field second = launch.roles[1].container["image"];
  if (!first.is_string() || !second.is_string() || first.text() == second.text()) return;
  judgement.add(versions_images_differ, second.path())
      .wrong("the Worker runs `{}`, the Master `{}`.", second.text(), first.text())
      .instead("Write the same image in both.");
}

}  // namespace

const Rule versions_images_differ{
    .id = "versions/images-differ",
    .severity = Severity::warn,
    .title = "Master and Worker run different images",
    .why =
        "NCCL must be of the same version on every node, and torch nearly so. Two images that were not made to go "
        "together end in a refusal or a hang at the first communicator.",
    .wrong = "Master: train:1, Worker: train:2",
    .right = "the same image in both",
    .check = check,
    .kinds = {JobKind::pytorch_job},
};

}  // namespace rollcall::launch::rules
