// Kubeflow's PyTorchJob of training-operator v1. Its controller appends what it gives to the env of every container, so
// its values win over the manifest's. With a Master: MASTER_ADDR, MASTER_PORT, RANK (a node rank), WORLD_SIZE and their
// PET_ names. Elastic: PET_RDZV_* and PET_NNODES alone. Neither: PET_NNODES and PET_NPROC_PER_NODE alone.
#include <string>

#include "launch/kinds/other_kinds.h"
#include "launch/kinds/pods.h"

namespace rollcall::launch {
namespace {

constexpr auto kWho = "PyTorchJob controller";

/// nprocPerNode is a string; a number is told of by its own rule and counts as what was meant.
std::string text_of(const Field& field) { return field.is_integer() ? field.json().dump() : field.text("auto"); }

std::vector<EnvEntry> given_by(const Field& spec, const Fact<int>& nodes, bool master, bool elastic) {
  std::vector<EnvEntry> names;
  Field processes = spec["nprocPerNode"];
  if (!processes.present() && spec["elasticPolicy"]["nProcPerNode"].present())
    processes = spec["elasticPolicy"]["nProcPerNode"];
  names.push_back(given("PET_NPROC_PER_NODE", text_of(processes), processes.path()));
  names.push_back(nodes.known() ? given("PET_NNODES", std::to_string(*nodes), nodes.path())
                                : given_at_run_time("PET_NNODES", kWho));
  if (elastic) {
    for (const char* name : {"PET_RDZV_ENDPOINT", "PET_RDZV_BACKEND", "PET_RDZV_ID"})
      names.push_back(given_at_run_time(name, kWho));
  } else if (master) {
    for (const char* name :
         {"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"})
      names.push_back(given_at_run_time(name, kWho));
  }
  return names;
}

}  // namespace

std::optional<Launch> read_pytorch_job(const nlohmann::json& object, const Context& around) {
  Launch launch = launch_of(object, JobKind::pytorch_job, around);
  const Field spec = launch.root["spec"];
  const Field replicas = spec["pytorchReplicaSpecs"];
  const bool master = replicas["Master"].is_object();
  const bool elastic = spec["elasticPolicy"].is_object();
  int sum = 0;
  bool known = replicas.is_object();
  for (const char* name : {"Master", "Worker"}) {
    if (!replicas[name].is_object()) continue;
    const Fact<int> count = count_of(replicas[name]["replicas"], 1);
    known = known && count.known();
    sum += count.known() ? *count : 0;
  }
  const Fact<int> nodes =
      elastic ? Fact<int>::unknown("elasticPolicy lets the number of nodes change", spec["elasticPolicy"].path())
      : known ? Fact<int>::of(sum, replicas.path())
              : Fact<int>::unknown("replicas is no number", replicas.path());
  launch.nodes_decided = true;
  launch.rank_advice = "Leave it out: the controller gives each pod its PET_NODE_RANK.";
  launch.master_advice = "Leave it out: the controller gives every pod the Master's name.";
  for (const char* name : {"Master", "Worker"}) {
    if (!replicas[name].is_object()) continue;
    Role role =
        read_role({name, replicas[name]["template"], "pytorch", given_by(spec, nodes, master, elastic)}, launch);
    role.nodes = nodes;
    role.pods = count_of(replicas[name]["replicas"], 1);
    role.leads = !master || name == std::string("Master");
    launch.roles.push_back(std::move(role));
  }
  return launch;
}

}  // namespace rollcall::launch
