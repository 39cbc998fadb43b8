#include "launch/patch.h"
#include "launch/rules/memory/family.h"
#include "launch/rules/memory/quantity.h"
#include "launch/rules/memory/shm.h"

namespace rollcall::launch::rules {
namespace {

/// What a container has at /dev/shm without any volume (containerd, CRI-O).
constexpr double kWithoutVolume = 64.0 * 1024 * 1024;
/// `64M`, written for 64Mi, is the same mistake, and so is a little more.
constexpr double kNoMore = 1.05 * kWithoutVolume;

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    if (!role.gpus_per_pod.known() || *role.gpus_per_pod < 2) continue;
    const Field limit = shm_volume(role)["emptyDir"]["sizeLimit"];
    const auto bytes = bytes_of(limit);
    if (!bytes || *bytes <= 0 || *bytes > kNoMore) continue;
    judgement.add(memory_small_shm, limit.path())
        .wrong("/dev/shm has {} for the processes of {} GPUs, no more than without the volume.", limit.text(),
               *role.gpus_per_pod)
        .instead("Write some GiB, which count against the container's memory limit when they are used.")
        .patch(add_patch(limit.path(), "16Gi"));
  }
}

}  // namespace

const Rule memory_small_shm{
    .id = "memory/small-shm",
    .severity = Severity::warn,
    .title = "a /dev/shm no larger than the container's own",
    .why =
        "NCCL and data loaders move tensors through /dev/shm. At 64 MiB, what a container has without any volume, the "
        "first of several processes that does not find room dies of a bus error.",
    .wrong = "/dev/shm: emptyDir {medium: Memory, sizeLimit: 64Mi}",
    .right = "/dev/shm: emptyDir {medium: Memory, sizeLimit: 16Gi}",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
