#include <algorithm>
#include <string>

#include "launch/kinds/pods.h"
#include "launch/kinds/shape.h"
#include "launch/patch.h"
#include "launch/rules/command_text.h"
#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

/// `OMPI_MCA_rmaps_base_oversubscribe: "1"`, `PRTE_MCA_rmaps_default_mapping_policy: :oversubscribe`.
bool allows_more(const Role& role) {
  const auto speaks_of_it = [](const EnvEntry& entry) {
    return (entry.name + "=" + entry.value.text).find("oversubscribe") != std::string::npos;
  };
  return role.container["envFrom"].present() || std::any_of(role.env.begin(), role.env.end(), speaks_of_it);
}

/// `--map-by slot` is what happens without it.
bool maps_otherwise(const Role& role) {
  const Flag* map = role.command.flag("--map-by");
  return map != nullptr && (!map->value.known() || map->value.text != "slot");
}

void check(const Launch& launch, Judgement& judgement) {
  const Field spec = launch.root["spec"];
  const Fact<int>& slots = launch.slots;
  const bool open_mpi = spec["mpiImplementation"].text("OpenMPI") == "OpenMPI";
  if (!open_mpi || !slots.known() || *slots < 1) return;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    const Flag* ranks = role.command.flag("--np");
    if (!role.leads || !launcher.known() || *launcher != "mpirun" || ranks == nullptr || !role.nodes.known()) continue;
    if (role.command.program.find("hydra") != std::string::npos) continue;
    if (allows_more(role) || role.command.flag("--oversubscribe") != nullptr ||
        role.command.flag("--host") != nullptr || role.command.flag("--hostfile") != nullptr || maps_otherwise(role))
      continue;
    const int number = ranks->value.known() ? whole_number(ranks->value.text).value_or(0) : 0;
    const long long there = static_cast<long long>(*role.nodes) * *slots;
    if (number <= there || there == 0) continue;
    // With a GPU for every rank it is the slots that are wrong: fewer ranks would leave GPUs idle.
    const auto gpus = std::find_if(launch.roles.begin(), launch.roles.end(), [](const Role& one) {
      return !one.leads && one.gpus_per_pod.known() && *one.gpus_per_pod > 0;
    });
    const bool by_gpus = launch.kind == JobKind::mpi_job && gpus != launch.roles.end() &&
                         static_cast<long long>(*gpus->gpus_per_pod) * *role.nodes >= number;
    if (by_gpus) {
      const int needed = (number + *role.nodes - 1) / *role.nodes;
      judgement.add(mpi_more_ranks_than_slots, ranks->path)
          .wrong("`{}`, but {} hosts with {} slots each have {}, though each Worker has {} GPUs.", ranks->written(),
                 *role.nodes, *slots, there, *gpus->gpus_per_pod)
          .instead("Write slotsPerWorker: {}.", needed)
          .patch(spec["slotsPerWorker"].present() ? replace_patch(spec["slotsPerWorker"].path(), needed)
                                                  : add_patch(spec["slotsPerWorker"].path(), needed));
      continue;
    }
    judgement.add(mpi_more_ranks_than_slots, ranks->path)
        .wrong("`{}`, but {} {} with {} slots each have {}.", ranks->written(), *role.nodes,
               launch.kind == JobKind::mpi_job ? "hosts" : "nodes", *slots, there)
        .instead(
            "Write -np {}, or {}.", there,
            launch.kind == JobKind::mpi_job ? "more Workers or slotsPerWorker" : "a larger numNodes or numProcPerNode")
        .patch(replace_flag_patch(role, *ranks, std::to_string(there)));
  }
}

}  // namespace

const Rule mpi_more_ranks_than_slots{
    .id = "mpi/more-ranks-than-slots",
    .severity = Severity::deny,
    .title = "mpirun asks for more ranks than there are slots",
    .why =
        "The host file of an MPIJob has slotsPerWorker slots for each Worker, that of a TrainJob numProcPerNode for "
        "each "
        "node. Open MPI refuses to start more ranks "
        "than slots and ends at once.",
    .wrong = "mpirun -np 32 with two Workers of 8 slots",
    .right = "mpirun -np 16",
    .check = check,
    .kinds = {JobKind::mpi_job, JobKind::train_job},
};

}  // namespace rollcall::launch::rules
