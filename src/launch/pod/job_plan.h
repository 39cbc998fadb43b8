#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/kinds/context.h"

namespace rollcall::launch {

/// One variable of a node's trainer. `from` says who tells the value where no manifest does: "Secret hub, key token".
struct PlannedVariable {
  std::string name;
  std::string value;  ///< as the pod has it, with `$(NAME)` for other variables; empty when `from` is not
  std::string from;
};

struct PlannedNode {
  std::string title;                 ///< "node rank 2", or "Worker, 3 pods" where the kind's controller gives the ranks
  int node_rank = -1;                ///< -1 = not decided by the manifest
  std::vector<std::string> command;  ///< command and args as the container has them
  std::vector<PlannedVariable> env;  ///< in the container's order
};

/// What each node of a job runs, worked out from the same facts that the rules read and the operator makes pods of.
struct JobPlan {
  std::string kind, name;
  bool ours = false;       ///< a TrainingJob: every node is planned, with its rank
  int nnodes = 0;          ///< 0 = not decided
  int nproc_per_node = 0;  ///< 0 = not decided
  int gpus_per_node = 0;
  std::string gpu_resource;  ///< empty when none
  int port = 0;              ///< of a TrainingJob
  std::string image, working_dir;
  bool more_env = false;  ///< envFrom: further variables come from objects that are not read
  std::vector<PlannedNode> nodes;
};

/// Pure. An Error says which field is at fault, or that the kind starts no training that can be told.
Result<JobPlan> job_plan_of(const nlohmann::json& object, const Context& around);

}  // namespace rollcall::launch
