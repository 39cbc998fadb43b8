#include <string>

#include "launch/kinds/shape.h"
#include "launch/rules/command_text.h"
#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field spec = launch.root["spec"];
  const Fact<int>& slots = launch.slots;
  if (spec["mpiImplementation"].text("OpenMPI") == "OpenMPI" || !slots.known() || spec["runLauncherAsWorker"].present())
    return;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    const Flag* ranks = role.command.flag("--np");
    if (!role.leads || !launcher.known() || *launcher != "mpirun" || ranks == nullptr || !ranks->value.known() ||
        !role.nodes.known())
      continue;
    if (role.command.flag("--host") != nullptr || role.command.flag("--hostfile") != nullptr) continue;
    const auto number = whole_number(ranks->value.text);
    const long long there = static_cast<long long>(*role.nodes) * *slots;
    if (!number || there < 1 || *number <= there) continue;
    judgement.add(mpi_goes_round_again, ranks->path)
        .wrong("`{}`, but {} Workers with {} slots each have {}: some get ranks twice.", ranks->written(), *role.nodes,
               *slots, there)
        .instead("Write {} {}, or more Workers or slotsPerWorker.", ranks->spelled, there)
        .patch(replace_flag_patch(role, *ranks, std::to_string(there)));
  }
}

}  // namespace

const Rule mpi_goes_round_again{
    .id = "mpi/goes-round-again",
    .severity = Severity::warn,
    .title = "more ranks than slots, which Hydra does not refuse",
    .why =
        "Hydra goes round the hosts again when all have their ranks. Several ranks then share a GPU, which NCCL "
        "refuses within a communicator.",
    .wrong = "mpirun -np 8 with two Workers of 2 slots and mpiImplementation: Intel",
    .right = "mpirun -np 4",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
