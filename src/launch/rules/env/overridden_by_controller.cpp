#include <algorithm>
#include <string>
#include <vector>

#include "launch/patch.h"
#include "launch/rules/env/family.h"

namespace rollcall::launch::rules {
namespace {

/// What the controller appends: training-operator's pytorch/envvar.go and elastic.go, Volcano's plugin pytorch.
std::vector<std::string> names_of(const Launch& launch) {
  const Field spec = launch.root["spec"];
  const bool kubeflow = launch.kind == JobKind::pytorch_job;
  if (!kubeflow && !spec["plugins"]["pytorch"].present()) return {};
  if (kubeflow && spec["elasticPolicy"].present())
    return {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_RDZV_ENDPOINT", "PET_RDZV_BACKEND"};
  if (kubeflow && !spec["pytorchReplicaSpecs"]["Master"].present()) return {};
  std::vector<std::string> names{"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE"};
  if (kubeflow)
    names.insert(names.end(),
                 {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"});
  return names;
}

void check(const Launch& launch, Judgement& judgement) {
  const auto names = names_of(launch);
  for (const Role& role : launch.roles) {
    const Field env = role.container["env"];
    for (std::size_t i = 0; i < env.size(); ++i) {
      const std::string name = env[i]["name"].text();
      if (std::find(names.begin(), names.end(), name) == names.end() || !role.nodes.given()) continue;
      judgement.add(env_overridden_by_controller, env[i].path())
          .wrong("env {} is set by the {} controller in every pod, behind this entry, which has no effect.", name,
                 launch.object.kind)
          .instead("Take the entry out.")
          .patch(remove_patch(env[i].path()));
    }
  }
}

}  // namespace

const Rule env_overridden_by_controller{
    .id = "env/overridden-by-controller",
    .severity = Severity::warn,
    .title = "an entry that the controller sets as well",
    .why =
        "The controller appends its own values to the env of every container, and of two entries with one name the "
        "last counts. The manifest's entry has no effect.",
    .wrong = "MASTER_PORT: \"29400\" in a PyTorchJob with a Master",
    .right = "no such entry",
    .check = check,
    .kinds = {JobKind::pytorch_job, JobKind::volcano_job},
};

}  // namespace rollcall::launch::rules
