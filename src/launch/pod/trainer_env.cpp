#include "launch/pod/trainer_env.h"

#include <map>
#include <set>
#include <string>

#include "api/names.h"
#include "launch/handed_over.h"

namespace rollcall::launch {

using nlohmann::json;

json launch_values(const api::TrainingJob& job, const Plan& plan, int node_rank) {
  const auto text = [](auto number) { return std::to_string(number); };
  const auto port = text(job.spec.port);
  const auto nnodes = text(plan.nnodes);
  const auto rank = text(node_rank);
  const auto processes = text(plan.nproc_per_node);
  const auto world = text(std::int64_t{plan.nnodes} * plan.nproc_per_node);

  const std::map<std::string, std::string> values = {
      {"MASTER_PORT", port},
      {"NNODES", nnodes},
      {"NODE_RANK", rank},
      {"NPROC_PER_NODE", processes},
      {"PET_NNODES", nnodes},
      {"PET_NODE_RANK", rank},
      {"PET_NPROC_PER_NODE", processes},
      {"PET_MASTER_ADDR", "$(MASTER_ADDR)"},
      {"PET_MASTER_PORT", port},
      {"PET_RDZV_BACKEND", "static"},
      {"JAX_NUM_PROCESSES", world},
      {"JAX_PROCESS_ID", text(std::int64_t{node_rank} * plan.nproc_per_node)},
      {"RANK", rank},
      {"LOCAL_RANK", "0"},
      {"WORLD_SIZE", world},
  };

  // HOST:PORT needs brackets round an IPv6 address, which composing cannot add for one family only: the operator writes
  // it whole.
  const std::map<std::string, const char*> annotations = {
      {"MASTER_ADDR", api::names::kAnnotationMasterAddr},
      {"JAX_COORDINATOR_ADDRESS", api::names::kAnnotationMasterEndpoint},
  };

  json env = json::array();
  for (const auto& name : handed_over_names(plan.launcher, plan.nproc_per_node)) {
    if (const auto annotation = annotations.find(name); annotation != annotations.end()) {
      const auto path = std::string("metadata.annotations['") + annotation->second + "']";
      env.push_back({{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}});
    } else if (const auto at = values.find(name); at != values.end()) {
      env.push_back({{"name", name}, {"value", at->second}});
    }
  }
  return env;
}

json env_with(const json& first, const json& user) {
  json env = first;
  std::set<std::string> taken;
  for (const auto& entry : first) taken.insert(entry.value("name", ""));
  if (!user.is_array()) return env;
  for (const auto& entry : user) {
    const bool named = entry.is_object() && entry.contains("name") && entry["name"].is_string();
    if (!named || !taken.contains(entry["name"].get<std::string>())) env.push_back(entry);
  }
  return env;
}

}  // namespace rollcall::launch
