#include "launch/plan.h"

#include "launch/kinds/training_job.h"

namespace rollcall::launch {
namespace {

/// The job as a manifest says it, so that a plan is read from the same facts as the rules read.
nlohmann::json manifest_of(const api::TrainingJob& job) {
  nlohmann::json spec = {
      {"nnodes", job.spec.nnodes}, {"rendezvous", {{"port", job.spec.port}}}, {"template", job.spec.pod_template}};
  if (job.spec.nproc_per_node) spec["nprocPerNode"] = *job.spec.nproc_per_node;
  if (job.spec.world_size) spec["worldSize"] = *job.spec.world_size;
  if (job.spec.launcher) spec["launcher"] = *job.spec.launcher;
  if (job.spec.trainer_container) spec["trainerContainer"] = *job.spec.trainer_container;
  if (job.spec.master_addr) spec["rendezvous"]["masterAddr"] = *job.spec.master_addr;
  return {{"metadata", {{"name", job.meta.name}}}, {"spec", std::move(spec)}};
}

}  // namespace

Result<Plan> plan_of(const api::TrainingJob& job) {
  const Launch launch = read_training_job(manifest_of(job));
  const Role& role = launch.roles.front();
  if (!role.trainer.known()) return Error{role.trainer.path() + ": " + role.trainer.reason()};

  Plan plan;
  plan.trainer_index = *role.trainer;
  plan.trainer = role.trainer_name;
  plan.launcher = role.command.launcher.known() ? *role.command.launcher : "unknown";
  plan.nnodes = job.spec.nnodes;
  plan.gpus_per_pod = role.gpus_per_pod.known() ? *role.gpus_per_pod : 0;
  plan.gpu_resource = role.gpus_per_pod.known() ? role.gpu_resource : "";
  plan.host_network = role.host_network;
  if (role.processes_per_node.known()) {
    plan.nproc_per_node = *role.processes_per_node;
  } else if (plan.gpus_per_pod > 0) {
    plan.nproc_per_node = plan.gpus_per_pod;
  }
  return plan;
}

}  // namespace rollcall::launch
