#include <algorithm>
#include <string>

#include "launch/patch.h"
#include "launch/rules/command_text.h"
#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

bool only_sleeps(const Field& container) {
  const std::string program = container["command"][0].text();
  const std::string name = program.substr(program.find_last_of('/') + 1);
  return name == "sleep" || name == "tail";
}

void check(const Launch& launch, Judgement& judgement) {
  // In v1 the Launcher starts its ranks by kubectl exec.
  if (!launch.object.api_version.ends_with("/v2beta1")) return;
  const bool by_mpirun = std::any_of(launch.roles.begin(), launch.roles.end(), [](const Role& role) {
    // A launcher with an agent of its own may reach the Workers without ssh.
    return role.leads && role.command.launcher.known() && *role.command.launcher == "mpirun" &&
           !mentions(role.container, "rsh_agent") && !may_have_env(role, "OMPI_MCA_plm_rsh_agent");
  });
  for (const Role& role : launch.roles) {
    if (role.leads || !by_mpirun || has_company(role) || role.container["lifecycle"].present() ||
        !only_sleeps(role.container))
      continue;
    const std::string path = role.container["command"].path();
    judgement.add(mpi_worker_without_sshd, path)
        .wrong("`{}` is all that runs in a Worker, and nothing answers mpirun's ssh.",
               role.container["command"][0].text())
        .instead("Leave the command out, or write /usr/sbin/sshd -De.")
        .patch(role.container["args"].present() ? "" : remove_patch(path));
  }
}

}  // namespace

const Rule mpi_worker_without_sshd{
    .id = "mpi/worker-without-sshd",
    .severity = Severity::deny,
    .title = "a Worker that does not listen for the Launcher",
    .why =
        "mpirun reaches the Workers by ssh. A Worker of v2beta1 whose command is left out runs sshd; one with a "
        "command of its own must start it, or every connection is refused.",
    .wrong = "command: [sleep, infinity] in a Worker",
    .right = "no command in the Worker",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
