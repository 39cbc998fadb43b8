#include "launch/kinds/pods.h"
#include "launch/kinds/train_job/given.h"
#include "launch/kinds/train_job/merge.h"
#include "launch/kinds/train_job/policy.h"
#include "launch/rules/trainer/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field runtime = train_job::runtime_of(launch);
  const Field policy = train_job::policy_of(launch);
  if (train_job::framework_of(policy) != train_job::Framework::mpi) return;
  const Fact<int> pods = count_of(policy["numNodes"], 1);
  if (!pods.known() || *pods < 2) return;
  const Field jobs = runtime["spec"]["template"]["spec"]["replicatedJobs"];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Field label = jobs[i]["template"]["metadata"]["labels"][train_job::kStepLabel];
    if (jobs[i]["name"].text() != train_job::kLauncher || label.text() != train_job::kTrainerStep) continue;
    judgement.add(trainer_several_launchers, policy["numNodes"].path())
        .wrong("makes {} pods of the replicated job `launcher`, each of which runs mpirun over all nodes.", *pods)
        .instead("Write 1 in the runtime, and numNodes in the TrainJob's spec.trainer.");
  }
}

}  // namespace

const Rule trainer_several_launchers{
    .id = "trainer/several-launchers",
    .severity = Severity::warn,
    .title = "an MPI runtime whose numNodes multiplies the launcher",
    .why =
        "The controller gives the policy's numNodes to the job of the trainer's step, which in an MPI runtime is the "
        "launcher; only spec.trainer.numNodes of a TrainJob goes to the nodes. Each launcher starts the whole program "
        "on the same nodes.",
    .wrong = "mlPolicy: {numNodes: 2, mpi: {}} with the step's label on the launcher",
    .right = "mlPolicy: {numNodes: 1, mpi: {}}",
    .check = check,
    .kinds = {JobKind::train_job},
};

}  // namespace rollcall::launch::rules
