#include <nlohmann/json.hpp>

#include "launch/kinds/train_job/given.h"
#include "launch/kinds/train_job/policy.h"
#include "launch/patch.h"
#include "launch/rules/trainer/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field own = launch.root["spec"]["trainer"];
  if (own.present() || train_job::framework_of(train_job::policy_of(launch)) != train_job::Framework::torch) return;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    if (!launcher.known() || *launcher != "torchrun" || !role.nodes.known() || *role.nodes < 2) continue;
    // A rendezvous of its own needs nothing of the controller.
    if (role.told.nodes.given() || role.told.master.given() || role.command.flag("--standalone") != nullptr ||
        role.container["envFrom"].present())
      continue;
    judgement.add(trainer_nothing_handed_over, own.path())
        .wrong(
            "is left out, so the controller sets no PET_NNODES and no PET_MASTER_ADDR: each of the {} pods trains "
            "alone.",
            *role.nodes)
        .instead("Write spec.trainer, be it an empty object.")
        .patch(add_patch(own.path(), nlohmann::json::object()));
  }
}

}  // namespace

const Rule trainer_nothing_handed_over{
    .id = "trainer/nothing-handed-over",
    .severity = Severity::deny,
    .title = "a TrainJob of several nodes without spec.trainer",
    .why =
        "The controller sets torchrun's environment only in a TrainJob that has a spec.trainer. Without it a bare "
        "torchrun takes its defaults: one node, which is itself. Each pod trains alone, and nothing says so.",
    .wrong = "no spec.trainer over a runtime with numNodes: 4 and command: [torchrun, train.py]",
    .right = "trainer: {}",
    .check = check,
    .kinds = {JobKind::train_job},
};

}  // namespace rollcall::launch::rules
