#include "launch/patch.h"
#include "launch/rules/world/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field spec = launch.root["spec"];
  const Field replicas = spec["pytorchReplicaSpecs"];
  if (replicas["Master"].present() || spec["elasticPolicy"].present()) return;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    if (!role.asks_for_many() || !launcher.known() || *launcher != "torchrun") continue;
    // With a rendezvous of its own the job needs nothing from the controller.
    if (role.told.master.given() || role.command.flag("--standalone") != nullptr || role.container["envFrom"].present())
      continue;
    judgement.add(world_workers_without_master, replicas.path())
        .wrong(
            "{} Workers and no Master: without a Master or spec.elasticPolicy the controller gives them neither "
            "address nor rank.",
            *role.pods)
        .instead("Write one of them as Master, or spec.elasticPolicy with minReplicas and maxReplicas {}.", *role.pods)
        .patch(add_patch(spec["elasticPolicy"].path(),
                         {{"minReplicas", *role.pods}, {"maxReplicas", *role.pods}, {"rdzvBackend", "c10d"}}));
  }
}

}  // namespace

const Rule world_workers_without_master{
    .id = "world/workers-without-master",
    .severity = Severity::deny,
    .title = "a PyTorchJob of several Workers with neither Master nor elasticPolicy",
    .why =
        "The controller gives addresses and ranks only beside a Master, and a rendezvous only with an elasticPolicy. "
        "Workers alone get neither: each waits as node 0 on its own loopback.",
    .wrong = "only Worker: {replicas: 3}",
    .right = "Master: {replicas: 1} beside Worker: {replicas: 2}",
    .check = check,
    .kinds = {JobKind::pytorch_job},
};

}  // namespace rollcall::launch::rules
