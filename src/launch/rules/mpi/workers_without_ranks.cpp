#include <string>

#include "launch/kinds/pods.h"
#include "launch/kinds/shape.h"
#include "launch/rules/command_text.h"
#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field spec = launch.root["spec"];
  const Fact<int>& slots = launch.slots;
  if (!slots.known() || *slots < 2 || spec["mpiImplementation"].text("OpenMPI") != "OpenMPI") return;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    const Flag* ranks = role.command.flag("--np");
    if (!role.leads || !launcher.known() || *launcher != "mpirun" || ranks == nullptr || !role.nodes.known()) continue;
    const Flag* map = role.command.flag("--map-by");
    const bool by_slot = map == nullptr || (map->value.known() && map->value.text == "slot");
    if (!by_slot || role.command.flag("--npernode") != nullptr || role.command.flag("--host") != nullptr ||
        role.command.flag("--hostfile") != nullptr)
      continue;
    const auto number = ranks->value.known() ? whole_number(ranks->value.text) : std::nullopt;
    if (!number || *number < 1) continue;
    const int reached = (*number + *slots - 1) / *slots;
    if (reached >= *role.nodes) continue;
    judgement.add(mpi_workers_without_ranks, ranks->path)
        .wrong("`{}` with {} slots a {} fills {} of {}; the others get no rank.", ranks->written(), *slots,
               launch.kind == JobKind::mpi_job ? "Worker" : "node", reached, *role.nodes)
        .instead("Write -np {}, or --map-by node.", *slots * *role.nodes)
        .patch(replace_flag_patch(role, *ranks, std::to_string(*slots * *role.nodes)));
  }
}

}  // namespace

const Rule mpi_workers_without_ranks{
    .id = "mpi/workers-without-ranks",
    .severity = Severity::warn,
    .title = "too few ranks for all Workers",
    .why =
        "Open MPI fills the slots of one Worker before it goes on to the next. The Workers that no rank reaches hold "
        "their GPUs for nothing.",
    .wrong = "mpirun -np 2 with two Workers of 4 slots",
    .right = "mpirun -np 8",
    .check = check,
    .kinds = {JobKind::mpi_job, JobKind::train_job},
};

}  // namespace rollcall::launch::rules
