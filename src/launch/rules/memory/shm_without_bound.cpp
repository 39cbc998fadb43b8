#include "launch/rules/memory/family.h"
#include "launch/rules/memory/shm.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field volume = shm_volume(role);
    // A pod with all devices of a node has few neighbours to harm.
    if (!role.gpus_per_pod.known() || *role.gpus_per_pod < 1 || *role.gpus_per_pod >= 8) continue;
    if (!is_memory(volume) || volume["emptyDir"]["sizeLimit"].present()) continue;
    const Field limits = role.container["resources"]["limits"];
    if (limits["memory"].present() || role.pod_template["spec"]["resources"].present()) continue;
    judgement.add(memory_shm_without_bound, limits["memory"].path())
        .wrong("neither the container's memory nor its /dev/shm has a limit, and the pod shares its node.")
        .instead("Write limits.memory, or a sizeLimit for the volume at /dev/shm.");
  }
}

}  // namespace

const Rule memory_shm_without_bound{
    .id = "memory/shm-without-bound",
    .severity = Severity::info,
    .title = "memory without any limit on a node that is shared",
    .why =
        "A volume of memory without sizeLimit may take what the pod may, and without a memory limit that is all of the "
        "node's. When the node runs out, the kernel kills a process of any pod on it, and a rank elsewhere waits.",
    .wrong = "nvidia.com/gpu: 2 and emptyDir {medium: Memory} without limits.memory",
    .right = "the same with limits.memory: 64Gi",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
