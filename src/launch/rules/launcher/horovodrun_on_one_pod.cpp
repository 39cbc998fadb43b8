#include "launch/kinds/shape.h"
#include "launch/rules/launcher/family.h"

namespace rollcall::launch::rules {
namespace {

bool names_hosts(const Command& command) {
  for (const char* name : {"--host", "--hostfile", "--host-discovery-script", "--config-file", "--mpi-args", "--jsrun"})
    if (command.flag(name) != nullptr) return true;
  return false;
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Command& command = role.command;
    if (!command.launcher.known() || *command.launcher != "horovodrun" || !role.leads || names_hosts(command)) continue;
    const Flag* ranks = command.flag("--np");
    const auto count = ranks != nullptr && ranks->value.known() ? whole_number(ranks->value.text) : std::nullopt;
    if (!count || *count < 2 || !role.nodes.known() || *role.nodes < 1) continue;
    judgement.add(launcher_horovodrun_on_one_pod, ranks->path)
        .wrong("`{}` without hosts starts all {} ranks in the Launcher; the {} Workers get none.", ranks->written(),
               *count, *role.nodes)
        .instead("Add --hostfile /etc/mpi/hostfile, or start the ranks by mpirun, which reads it by itself.");
  }
}

}  // namespace

const Rule launcher_horovodrun_on_one_pod{
    .id = "launcher/horovodrun-on-one-pod",
    .severity = Severity::deny,
    .title = "horovodrun without hosts in an MPIJob's Launcher",
    .why =
        "horovodrun does not read the variables in which an MPIJob hands over its host file. Without -H or --hostfile "
        "it takes `localhost` for its only host: every rank starts in the Launcher, which has no GPU, and the Workers "
        "idle.",
    .wrong = "horovodrun -np 16 python train.py",
    .right = "horovodrun -np 16 --hostfile /etc/mpi/hostfile python train.py",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
