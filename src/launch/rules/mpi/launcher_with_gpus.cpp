#include "launch/patch.h"
#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field spec = launch.root["spec"];
  if (spec["runLauncherAsWorker"].present()) return;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    if (!role.leads || !role.gpus_per_pod.known() || *role.gpus_per_pod < 1 || !role.nodes.known() || *role.nodes < 1)
      continue;
    if (!launcher.known() || *launcher != "mpirun" || role.command.flag("--host") != nullptr ||
        role.command.flag("--hostfile") != nullptr)
      continue;
    const Field requests = role.container["resources"]["requests"][role.gpu_resource];
    judgement.add(mpi_launcher_with_gpus, role.gpus_per_pod.path())
        .wrong("the Launcher asks for {} {}, but no rank runs in it.", *role.gpus_per_pod, role.gpu_resource)
        .instead("Take them out, or write runLauncherAsWorker: true.")
        .patch(requests.present() ? "" : remove_patch(role.gpus_per_pod.path()));
  }
}

}  // namespace

const Rule mpi_launcher_with_gpus{
    .id = "mpi/launcher-with-gpus",
    .severity = Severity::warn,
    .title = "GPUs of a Launcher that gets no rank",
    .why =
        "mpirun starts its ranks on the Workers of the host file. The Launcher is not in it: its GPUs are reserved and "
        "idle, and where they are scarce it waits for them while the Workers hold theirs.",
    .wrong = "nvidia.com/gpu: 1 in the Launcher",
    .right = "no GPUs in the Launcher",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
