#include "launch/rules/command_text.h"
#include "launch/rules/torchrun/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind == JobKind::mpi_job || launch.kind == JobKind::pytorch_job) return;
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    const auto& launcher = role.command.launcher;
    if (!role.command.by_torchrun() || !several(role) || !role.asks_for_many()) continue;
    if (!told.rendezvous.known() || *told.rendezvous != "static" || told.node_rank.given()) continue;
    if (role.command.flag("--standalone") != nullptr || role.container["envFrom"].present()) continue;
    const bool index = launch.kind == JobKind::leader_worker_set || launch.kind == JobKind::job_set ||
                       launch.root["spec"]["completionMode"].text() == "Indexed";
    judgement.add(torchrun_no_node_rank, launcher.path())
        .wrong("--node-rank is not given: each of the {} pods takes itself for node rank 0 of {}.", *role.pods,
               *told.nodes)
        .instead("{}", launch.rank_advice)
        .patch(index && launch.roles.size() == 1
                   ? add_argument_patch(role, "--node-rank=$(" + launch.index_variable + ")")
                   : "");
  }
}

}  // namespace

const Rule torchrun_no_node_rank{
    .id = "torchrun/no-node-rank",
    .severity = Severity::deny,
    .title = "several pods that are not told which node they are",
    .why =
        "With the static rendezvous a node's rank comes from --node-rank alone, and is 0 without it. Every pod takes "
        "itself for node rank 0, and each waits for the others.",
    .wrong = "torchrun --nnodes=2 --master-addr=llama-0.llama",
    .right = "the same with --node-rank=$(JOB_COMPLETION_INDEX)",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
