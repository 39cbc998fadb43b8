#include "launch/kinds/train_job/merge.h"
#include "launch/kinds/train_job/policy.h"
#include "launch/rules/trainer/family.h"

namespace rollcall::launch::rules {
namespace {

/// Whether the trainer's step has the container that the controller changes.
bool has_step(const Field& jobs) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i]["template"]["metadata"]["labels"][train_job::kStepLabel].text() != train_job::kTrainerStep) continue;
    const Field containers = jobs[i]["template"]["spec"]["template"]["spec"]["containers"];
    for (std::size_t k = 0; k < containers.size(); ++k)
      if (containers[k]["name"].text() == train_job::kNode) return true;
  }
  return false;
}

void check(const Launch& launch, Judgement& judgement) {
  const Field runtime = train_job::runtime_of(launch);
  const Field own = launch.root["spec"]["trainer"];
  const Field jobs = runtime["spec"]["template"]["spec"]["replicatedJobs"];
  if (jobs.size() == 0 || has_step(jobs)) return;
  for (const char* name : {"command", "args", "image", "numNodes"}) {
    if (!own[name].present()) continue;
    judgement.add(trainer_no_trainer_step, own[name].path())
        .wrong(
            "has no effect: no replicated job of {} has the label {}: {} and a container `node`, and only there the "
            "controller puts what spec.trainer says.",
            launch.merged_from, train_job::kStepLabel, train_job::kTrainerStep)
        .instead(
            "Give the runtime's job that trains that label in template.metadata.labels, and its container that name.");
    return;
  }
}

}  // namespace

const Rule trainer_no_trainer_step{
    .id = "trainer/no-trainer-step",
    .severity = Severity::deny,
    .title = "a runtime in which nothing is the trainer",
    .why =
        "The controller finds the job that trains by its label trainer.kubeflow.org/trainjob-ancestor-step: trainer, "
        "and its container by the name `node`. Without them command, image, nodes and environment of the TrainJob go "
        "nowhere: the runtime's own command runs, in as many pods as the runtime says.",
    .wrong = "a runtime whose replicated job `node` has no such label",
    .right = "labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}",
    .check = check,
    .kinds = {JobKind::train_job},
};

}  // namespace rollcall::launch::rules
