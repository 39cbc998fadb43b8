#include <string>

#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const std::string made_for = launch.root["spec"]["mpiImplementation"].text("OpenMPI");
  if (made_for != "OpenMPI") return;
  for (const Role& role : launch.roles) {
    const Command& command = role.command;
    if (!role.leads || command.program != "mpiexec.hydra" || !command.launcher.known()) continue;
    if (command.flag("--host") != nullptr || command.flag("--hostfile") != nullptr) continue;
    if (!role.nodes.known() || *role.nodes < 2) continue;
    judgement.add(mpi_another_mpi, command.launcher.path())
        .wrong("`mpiexec.hydra` does not read the host list of an MPIJob for {}.", made_for)
        .instead("Write spec.mpiImplementation: MPICH or Intel, or start Open MPI's mpirun.");
  }
}

}  // namespace

const Rule mpi_another_mpi{
    .id = "mpi/another-mpi",
    .severity = Severity::deny,
    .title = "a launcher of another MPI than the job is made for",
    .why =
        "The controller hands the host list over in the way of the implementation that mpiImplementation names. Hydra "
        "reads none of Open MPI's variables: it starts every rank in the Launcher, and the Workers idle.",
    .wrong = "mpiexec.hydra with mpiImplementation: OpenMPI",
    .right = "mpiexec.hydra with mpiImplementation: MPICH",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
