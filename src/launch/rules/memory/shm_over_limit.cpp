#include "launch/patch.h"
#include "launch/rules/memory/family.h"
#include "launch/rules/memory/quantity.h"
#include "launch/rules/memory/shm.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field volume = shm_volume(role);
    const Field size = volume["emptyDir"]["sizeLimit"], limit = role.container["resources"]["limits"]["memory"];
    const auto shm = bytes_of(size), memory = bytes_of(limit);
    if (!is_memory(volume) || !shm || !memory || *shm < *memory) continue;
    judgement.add(memory_shm_over_limit, size.path())
        .wrong("/dev/shm may take {}, and the container {} with all its processes.", gib(*shm), gib(*memory))
        .instead("Write a sizeLimit well below limits.memory, or raise that.");
  }
}

}  // namespace

const Rule memory_shm_over_limit{
    .id = "memory/shm-over-limit",
    .severity = Severity::warn,
    .title = "a /dev/shm as large as the container's memory",
    .why =
        "What is written to a volume of memory counts against the limit of the container that wrote it. Before "
        "/dev/shm is full the kernel kills a rank for want of memory, and the others wait for it.",
    .wrong = "sizeLimit: 64Gi with limits.memory: 32Gi",
    .right = "sizeLimit: 64Gi with limits.memory: 256Gi",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
