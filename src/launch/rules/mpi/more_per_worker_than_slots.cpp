#include <algorithm>
#include <string>

#include "launch/kinds/pods.h"
#include "launch/kinds/shape.h"
#include "launch/rules/command_text.h"
#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field spec = launch.root["spec"];
  const Fact<int> slots = count_of(spec["slotsPerWorker"], 1);
  if (spec["mpiImplementation"].text("OpenMPI") != "OpenMPI" || !slots.known() || *slots < 1) return;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    const Flag* ranks = role.command.flag("--npernode");
    if (!role.leads || !launcher.known() || *launcher != "mpirun" || ranks == nullptr || !ranks->value.known())
      continue;
    if (role.command.program.find("hydra") != std::string::npos || mentions(role.container, "oversubscribe")) continue;
    if (role.command.flag("--host") != nullptr || role.command.flag("--hostfile") != nullptr ||
        role.container["envFrom"].present())
      continue;
    const bool env = std::any_of(role.env.begin(), role.env.end(), [](const EnvEntry& entry) {
      return (entry.name + entry.value.text).find("oversubscribe") != std::string::npos;
    });
    const auto number = whole_number(ranks->value.text);
    if (env || !number || *number <= *slots) continue;
    judgement.add(mpi_more_per_worker_than_slots, ranks->path)
        .wrong("`{}`, but a Worker has {} slots.", ranks->written(), *slots)
        .instead("Write {} {}, or slotsPerWorker: {}.", ranks->spelled, *slots, *number)
        .patch(replace_flag_patch(role, *ranks, std::to_string(*slots)));
  }
}

}  // namespace

const Rule mpi_more_per_worker_than_slots{
    .id = "mpi/more-per-worker-than-slots",
    .severity = Severity::deny,
    .title = "more ranks in each Worker than it has slots",
    .why =
        "The host file of an MPIJob has slotsPerWorker slots for each Worker. Open MPI refuses to start more ranks "
        "there and ends at once.",
    .wrong = "mpirun -npernode 4 with slotsPerWorker: 2",
    .right = "mpirun -npernode 2",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
