#include "launch/kinds/pods.h"
#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field field = launch.root["spec"]["slotsPerWorker"];
  const Fact<int> slots = count_of(field, 1);
  for (const Role& role : launch.roles) {
    if (role.leads || !slots.known() || !role.gpus_per_pod.known() || *role.gpus_per_pod < 1 ||
        *slots <= *role.gpus_per_pod)
      continue;
    judgement.add(mpi_more_slots_than_gpus, field.path())
        .wrong("a Worker takes {} ranks, but has {} {}.", *slots, *role.gpus_per_pod, role.gpu_resource)
        .instead("Write slotsPerWorker: {}, and -np to fit.", *role.gpus_per_pod);
  }
}

}  // namespace

const Rule mpi_more_slots_than_gpus{
    .id = "mpi/more-slots-than-gpus",
    .severity = Severity::warn,
    .title = "more slots than GPUs in a Worker",
    .why =
        "Each slot of the host file takes a rank. Ranks beyond the GPUs of their Worker share one, which NCCL refuses "
        "within a communicator, or fail with an invalid device ordinal.",
    .wrong = "slotsPerWorker: 4 with nvidia.com/gpu: 2",
    .right = "slotsPerWorker: 2 with nvidia.com/gpu: 2",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
