#include <algorithm>
#include <string>

#include "launch/kinds/train_job/policy.h"
#include "launch/patch.h"
#include "launch/rules/trainer/family.h"
#include "launch/rules/trainer/reserved.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (train_job::runtime_known(launch)) return;
  const Field env = launch.root["spec"]["trainer"]["env"];
  const auto names = torch_names();
  for (std::size_t i = 0; i < env.size(); ++i) {
    const std::string name = env[i]["name"].text();
    if (std::find(names.begin(), names.end(), name) == names.end() || is_rank_of_every_pod(launch, env[i])) continue;
    judgement.add(trainer_reserved_env_of_some_runtimes, env[i]["name"].path())
        .wrong("env {} is refused by the webhook of Kubeflow Trainer where the mlPolicy of runtime `{}` is torch.",
               name, launch.root["spec"]["runtimeRef"]["name"].text("?"))
        .instead("Take the entry out, and write numNodes and numProcPerNode; or hand the runtime to lint as well.")
        .patch(remove_patch(env[i].path()));
  }
}

}  // namespace

const Rule trainer_reserved_env_of_some_runtimes{
    .id = "trainer/reserved-env-of-some-runtimes",
    .severity = Severity::warn,
    .title = "an env entry that runtimes for torch reserve, and the runtime is not in sight",
    .why =
        "Where the runtime's mlPolicy is torch, the controller sets PET_NNODES, PET_NPROC_PER_NODE, PET_NODE_RANK, "
        "PET_MASTER_ADDR and PET_MASTER_PORT, and its webhook refuses a TrainJob that sets one of them.",
    .wrong = "spec.trainer.env: PET_MASTER_PORT, without the runtime in the input",
    .right = "no such entry",
    .check = check,
    .kinds = {JobKind::train_job},
};

}  // namespace rollcall::launch::rules
