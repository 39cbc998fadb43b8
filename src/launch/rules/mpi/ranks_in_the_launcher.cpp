#include <algorithm>
#include <string>

#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

bool workers_have_gpus(const Launch& launch) {
  return std::any_of(launch.roles.begin(), launch.roles.end(), [](const Role& role) {
    return !role.leads && role.gpus_per_pod.known() && *role.gpus_per_pod > 0 && role.pods.known() && *role.pods > 0;
  });
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.root["spec"]["runLauncherAsWorker"].present()) return;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    const Flag* hosts = role.command.flag("--host");
    if (!role.leads || !launcher.known() || *launcher != "mpirun" || hosts == nullptr || !hosts->value.known())
      continue;
    if (!role.gpus_per_pod.known() || *role.gpus_per_pod > 0 || !workers_have_gpus(launch)) continue;
    const std::string& text = hosts->value.text;
    const std::string host = text.substr(0, text.find(':'));
    if (text.find(',') != std::string::npos || (host != "localhost" && host != "127.0.0.1")) continue;
    judgement.add(mpi_ranks_in_the_launcher, hosts->path)
        .wrong("`{}` keeps every rank in the Launcher, and the Workers with their GPUs get none.", hosts->written())
        .instead("Leave it out: the controller hands mpirun the Workers.");
  }
}

}  // namespace

const Rule mpi_ranks_in_the_launcher{
    .id = "mpi/ranks-in-the-launcher",
    .severity = Severity::deny,
    .title = "every rank in the Launcher",
    .why =
        "With -H localhost mpirun starts all ranks where it stands itself, in the Launcher, which has no GPU. The "
        "Workers hold theirs and get no rank.",
    .wrong = "mpirun -np 2 -H localhost:2",
    .right = "mpirun -np 2",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
