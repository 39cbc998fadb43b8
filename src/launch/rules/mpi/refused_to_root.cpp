#include <string>

#include "launch/rules/command_text.h"
#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

/// Only where it is written: what an image says of its user is not seen.
bool is_root(const Role& role) {
  const Field own = role.container["securityContext"]["runAsUser"];
  const Field user = own.present() ? own : role.pod_template["spec"]["securityContext"]["runAsUser"];
  return user.is_integer() && user.json() == 0;
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.root["spec"]["mpiImplementation"].text("OpenMPI") != "OpenMPI") return;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    if (!launcher.known() || *launcher != "mpirun" || role.command.program.find("hydra") != std::string::npos ||
        !is_root(role))
      continue;
    if (mentions(role.container, "allow-run-as-root") || may_have_env(role, "OMPI_ALLOW_RUN_AS_ROOT")) continue;
    judgement.add(mpi_refused_to_root, launcher.path())
        .wrong("the container runs as root, which `{}` refuses unless --allow-run-as-root stands in its command.",
               role.command.program)
        .instead("Write {} --allow-run-as-root.", role.command.program)
        .patch(add_argument_patch(role, "--allow-run-as-root"));
  }
}

}  // namespace

const Rule mpi_refused_to_root{
    .id = "mpi/refused-to-root",
    .severity = Severity::warn,
    .title = "an mpirun that refuses to run as root",
    .why = "Open MPI's mpirun ends at once when it is started by root, unless it is told that this is meant.",
    .wrong = "mpirun -np 2 with runAsUser: 0",
    .right = "mpirun --allow-run-as-root -np 2",
    .check = check,
    .kinds = {JobKind::mpi_job, JobKind::volcano_job},
};

}  // namespace rollcall::launch::rules
