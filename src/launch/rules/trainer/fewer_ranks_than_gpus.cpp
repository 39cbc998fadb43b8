#include "launch/kinds/shape.h"
#include "launch/kinds/train_job/given.h"
#include "launch/kinds/train_job/policy.h"
#include "launch/rules/trainer/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (train_job::framework_of(train_job::policy_of(launch)) != train_job::Framework::mpi) return;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    const Flag* ranks = role.command.flag("--np");
    if (!role.leads || !launcher.known() || *launcher != "mpirun" || ranks == nullptr || !ranks->value.known())
      continue;
    const auto& gpus = role.gpus_per_pod;
    const auto number = whole_number(ranks->value.text);
    if (!number || *number < 1 || !role.nodes.known() || !gpus.known() || *gpus < 2) continue;
    const long long there = static_cast<long long>(*gpus) * *role.nodes;
    if (*number >= there) continue;
    judgement.add(trainer_fewer_ranks_than_gpus, gpus.path())
        .wrong("{} nodes of {} {} each hold {}, and `{}` starts {} ranks: {} stay idle.", *role.nodes, *gpus,
               role.gpu_resource, there, ranks->written(), *number, there - *number)
        .instead("Write -np {} and numProcPerNode: {}, or request fewer GPUs.", there, *gpus);
  }
}

}  // namespace

const Rule trainer_fewer_ranks_than_gpus{
    .id = "trainer/fewer-ranks-than-gpus",
    .severity = Severity::warn,
    .title = "mpirun starts fewer ranks than the nodes have GPUs",
    .why =
        "A rank of an MPI job drives one GPU. The others are reserved on every node and idle for the whole run, unless "
        "the program drives several from one rank.",
    .wrong = "mpirun -np 2 with numNodes: 2 and nvidia.com/gpu: 2",
    .right = "mpirun -np 4",
    .check = check,
    .kinds = {JobKind::train_job},
};

}  // namespace rollcall::launch::rules
