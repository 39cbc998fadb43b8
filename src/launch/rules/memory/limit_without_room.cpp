#include "launch/rules/memory/family.h"
#include "launch/rules/memory/quantity.h"

namespace rollcall::launch::rules {
namespace {

/// Host memory of one process that has only imported torch and made a CUDA context and a communicator: about 1 GiB
/// (CUDA 12; the libraries' code is shared between processes, their heaps are not). Half of it is surely too little.
constexpr double kLeastForAProcess = 512.0 * 1024 * 1024;

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    if (!role.gpus_per_pod.known() || *role.gpus_per_pod < 1 || !role.processes_per_node.known()) continue;
    if (role.gpu_resource != "nvidia.com/gpu") continue;
    const Field limit = role.container["resources"]["limits"]["memory"];
    const auto bytes = bytes_of(limit);
    const int processes = *role.processes_per_node;
    if (!bytes || processes < 1 || *bytes >= processes * kLeastForAProcess) continue;
    judgement.add(memory_limit_without_room, limit.path())
        .wrong("{} for {} process{} with a GPU is {} each.", gib(*bytes), processes, processes == 1 ? "" : "es",
               gib(*bytes / processes))
        .instead("Write some GiB for each process, and what the data loaders need.");
  }
}

}  // namespace

const Rule memory_limit_without_room{
    .id = "memory/limit-without-room",
    .severity = Severity::warn,
    .title = "a memory limit with no room for the processes",
    .why =
        "A process that has loaded torch, CUDA and NCCL has used about 1 GiB before it reads its first sample. The "
        "kernel kills the one that goes over the limit, mostly while the communicator is made, and the others wait.",
    .wrong = "limits: {nvidia.com/gpu: 8, memory: 2Gi}",
    .right = "limits: {nvidia.com/gpu: 8, memory: 256Gi}",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
