#include "launch/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launch/environment.h"
#include "launch/kinds/rdma.h"
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

/// More would say no more to a person, and the field has 4,096 characters.
constexpr std::size_t kMaxReasons = 4;
constexpr std::size_t kLongestReason = 500;

/// A setup is the user's word for what makes the environment; it can start no daemon.
std::string reasons_of(const Environment& environment, bool setup) {
  std::vector<std::string> reasons = environment.missing;
  if (!setup) reasons.insert(reasons.begin(), environment.elsewhere.begin(), environment.elsewhere.end());
  const std::size_t all = reasons.size();
  if (all > kMaxReasons) reasons.resize(kMaxReasons);
  for (std::string& reason : reasons) {
    if (reason.size() <= kLongestReason) continue;
    std::size_t end = kLongestReason;
    while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
    reason = reason.substr(0, end) + "…";
  }
  std::string text = fmt::format("{}", fmt::join(reasons, "; "));
  if (all > reasons.size()) text += fmt::format("; and {} more", all - reasons.size());
  return text;
}

}  // namespace

Result<Plan> plan_of(const api::TrainingJob& job) {
  const nlohmann::json manifest = manifest_of(job);  // what the launch refers to
  const Launch launch = read_training_job(manifest);
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
  plan.rdma_resource = rdma_resource(role.container, is_certainly_rdma);
  Environment environment = environment_of(role);
  plan.exports = std::move(environment.exports);
  plan.partial_environment = reasons_of(environment, !job.spec.roll_call.setup.empty());
  if (role.processes_per_node.known()) {
    plan.nproc_per_node = *role.processes_per_node;
  } else if (plan.gpus_per_pod > 0) {
    plan.nproc_per_node = plan.gpus_per_pod;
  }
  return plan;
}

}  // namespace rollcall::launch
