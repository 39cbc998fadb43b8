#include <algorithm>
#include <string>

#include "launch/kinds/train_job/policy.h"
#include "launch/patch.h"
#include "launch/rules/trainer/family.h"
#include "launch/rules/trainer/reserved.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const bool known = train_job::runtime_known(launch);
  const auto reserved = reserved_names(train_job::policy_of(launch));
  const Field env = launch.root["spec"]["trainer"]["env"];
  for (std::size_t i = 0; i < env.size(); ++i) {
    const std::string name = env[i]["name"].text();
    const bool refused = std::find(reserved.begin(), reserved.end(), name) != reserved.end();
    if (!refused && (known || !is_rank_of_every_pod(launch, env[i]))) continue;
    auto words = judgement.add(trainer_reserved_env, env[i]["name"].path());
    if (refused) {
      words.wrong("env {} belongs to the controller, which sets it for {}; its webhook refuses the TrainJob.", name,
                  launch.merged_from);
    } else {
      words.wrong(
          "env {} makes every pod node rank {}; where the runtime's policy is torch, the webhook refuses the TrainJob "
          "besides.",
          name, env[i]["value"].text());
    }
    words.instead("Take the entry out, and write numNodes and numProcPerNode.").patch(remove_patch(env[i].path()));
  }
}

}  // namespace

const Rule trainer_reserved_env{
    .id = "trainer/reserved-env",
    .severity = Severity::deny,
    .title = "an env entry that belongs to the TrainJob controller",
    .why =
        "The controller sets the variables of the runtime's framework itself, from numNodes, numProcPerNode and the "
        "pod's index. Its webhook refuses a TrainJob that sets one of them; a fixed node rank would be wrong in every "
        "pod but one.",
    .wrong = "spec.trainer.env: PET_NNODES with a runtime whose mlPolicy is torch",
    .right = "numNodes: 4",
    .check = check,
    .kinds = {JobKind::train_job},
};

}  // namespace rollcall::launch::rules
