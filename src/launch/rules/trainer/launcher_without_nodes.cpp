#include "launch/kinds/pods.h"
#include "launch/kinds/train_job/merge.h"
#include "launch/kinds/train_job/policy.h"
#include "launch/rules/trainer/family.h"

namespace rollcall::launch::rules {
namespace {

bool has_job(const Field& jobs, const char* name) {
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (jobs[i]["name"].text() == name) return true;
  return false;
}

void check(const Launch& launch, Judgement& judgement) {
  const Field as_node = train_job::policy_of(launch)["mpi"]["runLauncherAsNode"];
  if (!as_node.is_bool() || !as_node.json().get<bool>()) return;
  const Field nodes = launch.root["spec"]["trainer"]["numNodes"];
  const Fact<int> count = count_of(nodes, 1);
  if (!count.known() || *count < 2) return;
  const Field jobs = train_job::unpatched_jobs_of(launch);
  for (const char* name : {train_job::kLauncher, train_job::kNode}) {
    if (has_job(jobs, name)) continue;
    judgement.add(trainer_launcher_without_nodes, nodes.path())
        .wrong("{} nodes, but {} runs its launcher as a node and has no replicated job `{}`; the webhook refuses it.",
               *count, launch.merged_from, name)
        .instead("Write 1, or give the runtime a replicated job `{}`.", name);
    return;
  }
}

}  // namespace

const Rule trainer_launcher_without_nodes{
    .id = "trainer/launcher-without-nodes",
    .severity = Severity::deny,
    .title = "several nodes over an MPI runtime that has the launcher alone",
    .why =
        "With runLauncherAsNode the launcher is one node, and the others are pods of the replicated job `node`. Where "
        "the runtime has none, Kubeflow Trainer refuses more than one node.",
    .wrong = "numNodes: 4 with runLauncherAsNode: true and no replicated job `node`",
    .right = "numNodes: 1",
    .check = check,
    .kinds = {JobKind::train_job},
};

}  // namespace rollcall::launch::rules
