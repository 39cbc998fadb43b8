#include "launch/patch.h"
#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (!launch.object.api_version.ends_with("/v2beta1")) return;
  const Field replicas = launch.root["spec"]["mpiReplicaSpecs"];
  const Field launchers = replicas["Launcher"]["replicas"];
  if (launchers.is_integer() && launchers.json() != 1) {
    judgement.add(mpi_replicas_the_controller_refuses, launchers.path())
        .wrong("{} Launchers: the controller takes one, and makes no pod.", launchers.json().dump())
        .instead("Write 1.")
        .patch(replace_patch(launchers.path(), 1));
  }
  const Field workers = replicas["Worker"]["replicas"];
  if (!workers.is_integer() || workers.json() != 0 || launch.root["spec"]["runLauncherAsWorker"].present()) return;
  judgement.add(mpi_replicas_the_controller_refuses, workers.path())
      .wrong("0 Workers: the controller takes one or more, and makes no pod.")
      .instead("Write how many Workers the job has.");
}

}  // namespace

const Rule mpi_replicas_the_controller_refuses{
    .id = "mpi/replicas-the-controller-refuses",
    .severity = Severity::deny,
    .title = "an MPIJob that its controller leaves lying",
    .why =
        "The controller takes exactly one Launcher and at least one Worker. It tells of anything else by an event "
        "alone and makes no pod: the job lies there and nothing happens.",
    .wrong = "Launcher: {replicas: 2}",
    .right = "Launcher: {replicas: 1}",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
