// Kubeflow's MPIJob: mpirun in the Launcher starts ranks on the Workers over ssh, by a host file of the controller with
// slotsPerWorker slots for each. The devices are the Workers'.
#include "launch/kinds/other_kinds.h"
#include "launch/kinds/pods.h"

namespace rollcall::launch {

std::optional<Launch> read_mpi_job(const nlohmann::json& object, const Context&) {
  Launch launch = launch_of(object, JobKind::mpi_job);
  const Field replicas = launch.root["spec"]["mpiReplicaSpecs"];
  launch.nodes_decided = true;
  const Fact<int> workers = count_of(replicas["Worker"]["replicas"], 0);
  for (const char* name : {"Launcher", "Worker"}) {
    if (!replicas[name].is_object()) continue;
    const bool launcher = name == std::string("Launcher");
    Role role = read_role({name, replicas[name]["template"], "", {}, false});
    role.nodes = workers;
    role.pods = launcher ? Fact<int>::of(1, replicas[name].path()) : workers;
    role.leads = launcher;
    launch.roles.push_back(std::move(role));
  }
  return launch;
}

}  // namespace rollcall::launch
