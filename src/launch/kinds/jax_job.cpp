// Kubeflow's JAXJob of training-operator v1. One process a pod, which drives all its devices. The controller appends
// COORDINATOR_ADDRESS, COORDINATOR_PORT, NUM_PROCESSES and PROCESS_ID to the env of every container, so its values win
// over the manifest's (pkg/controller.v1/jax/envvar.go of release 1.9); these are not the names that JAX reads, so the
// program hands them to jax.distributed.initialize() itself.
#include <string>
#include <utility>

#include "launch/kinds/other_kinds.h"
#include "launch/kinds/pods.h"

namespace rollcall::launch {

std::optional<Launch> read_jax_job(const nlohmann::json& object, const Context& around) {
  constexpr auto kWho = "JAXJob controller";
  Launch launch = launch_of(object, JobKind::jax_job, around);
  const Field worker = launch.root["spec"]["jaxReplicaSpecs"]["Worker"];
  if (!worker.is_object()) return launch;
  const Fact<int> nodes = count_of(worker["replicas"], 1);
  launch.nodes_decided = nodes.known();
  launch.rank_advice = "Leave it out, and take PROCESS_ID, which the controller gives each pod.";
  launch.master_advice = "Leave it out, and take COORDINATOR_ADDRESS and COORDINATOR_PORT, which the controller gives.";
  RoleSource source{"Worker", worker["template"], "jax", {}};
  for (const char* name : {"COORDINATOR_ADDRESS", "COORDINATOR_PORT", "PROCESS_ID"})
    source.given.push_back(given_at_run_time(name, kWho));
  source.given.push_back(nodes.known() ? given("NUM_PROCESSES", std::to_string(*nodes), nodes.path())
                                       : given_at_run_time("NUM_PROCESSES", kWho));
  Role role = read_role(source, launch);
  role.nodes = nodes;
  role.pods = nodes;
  // A python program without more is told by these names.
  if (role.command.launcher.known() && *role.command.launcher == "none")
    role.command.launcher = Fact<std::string>::of("jax", role.command.launcher.path());
  launch.roles.push_back(std::move(role));
  return launch;
}

}  // namespace rollcall::launch
