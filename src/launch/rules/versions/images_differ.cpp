#include "launch/rules/versions/family.h"

namespace rollcall::launch::rules {
namespace {

/// Whether ranks of one world run in the pods of this role for certain.
bool has_ranks(const Launch& launch, const Role& role) {
  return launch.kind == JobKind::pytorch_job ||
         (role.gpus_per_pod.known() && *role.gpus_per_pod > 0 && (role.told.nodes.known() || role.told.master.given()));
}

void check(const Launch& launch, Judgement& judgement) {
  const Role* first = nullptr;
  for (const Role& role : launch.roles) {
    const Field image = role.container["image"];
    if (!image.is_string() || !has_ranks(launch, role)) continue;
    if (first == nullptr) {
      first = &role;
      continue;
    }
    const std::string other = first->container["image"].text();
    if (image.text() == other) continue;
    judgement.add(versions_images_differ, image.path())
        .wrong("the {} runs `{}`, the {} `{}`.", role.name, image.text(), first->name, other)
        .instead("Write the same image in both.");
  }
}

}  // namespace

const Rule versions_images_differ{
    .id = "versions/images-differ",
    .severity = Severity::warn,
    .title = "pods of one world run different images",
    .why =
        "NCCL must be of the same version on every node, and torch nearly so. Two images that were not made to go "
        "together end in a refusal or a hang at the first communicator.",
    .wrong = "Master: train:1, Worker: train:2",
    .right = "the same image in both",
    .check = check,
    .kinds = {JobKind::pytorch_job, JobKind::leader_worker_set, JobKind::job_set, JobKind::volcano_job},
};

}  // namespace rollcall::launch::rules
