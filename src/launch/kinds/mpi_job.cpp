// Kubeflow's MPIJob: mpirun in the Launcher starts ranks on the Workers by a host file of the controller with
// slotsPerWorker slots for each. The devices are the Workers'. v2beta1 (mpi-operator) reaches them over ssh and counts
// the Launcher as one of them when runLauncherAsWorker says so; v1 (training-operator) reaches them by kubectl exec,
// knows Open MPI's host file alone, and counts the Launcher when its container asks for GPUs.
#include <utility>

#include "launch/kinds/other_kinds.h"
#include "launch/kinds/pods.h"

namespace rollcall::launch {
namespace {

/// Hosts in the file: Workers, and the Launcher where it counts.
Fact<int> hosts_of(const Launch& launch, const Fact<int>& workers, const Role& launcher, bool first_version) {
  if (!workers.known()) return workers;
  const Field as_worker = launch.root["spec"]["runLauncherAsWorker"];
  if (!first_version) {
    const bool counts = as_worker.is_bool() && as_worker.json().get<bool>();
    return Fact<int>::of(*workers + (counts ? 1 : 0), workers.path());
  }
  if (!launcher.gpus_per_pod.known()) return Fact<int>::unknown("the Launcher may be one", workers.path());
  return Fact<int>::of(*workers + (*launcher.gpus_per_pod > 0 ? 1 : 0), workers.path());
}

Launch read(const nlohmann::json& object, const Context& around, bool first_version) {
  Launch launch = launch_of(object, JobKind::mpi_job, around);
  const Field spec = launch.root["spec"];
  const Field replicas = spec["mpiReplicaSpecs"];
  launch.nodes_decided = true;
  launch.slots = count_of(spec["slotsPerWorker"], 1);
  const std::string main_container = first_version ? spec["mainContainer"].text("mpi") : "";
  const Fact<int> workers = count_of(replicas["Worker"]["replicas"], 0);
  for (const char* name : {"Launcher", "Worker"}) {
    if (!replicas[name].is_object()) continue;
    const bool launcher = name == std::string("Launcher");
    Role role = read_role({name, replicas[name]["template"], main_container, {}, false}, launch);
    role.nodes = launcher ? hosts_of(launch, workers, role, first_version) : workers;
    role.pods = launcher ? Fact<int>::of(1, replicas[name].path()) : workers;
    role.leads = launcher;
    launch.roles.push_back(std::move(role));
  }
  return launch;
}

}  // namespace

std::optional<Launch> read_mpi_job(const nlohmann::json& object, const Context& around) {
  return read(object, around, false);
}

std::optional<Launch> read_mpi_job_v1(const nlohmann::json& object, const Context& around) {
  return read(object, around, true);
}

}  // namespace rollcall::launch
