#pragma once

#include <nlohmann/json.hpp>

#include "api/training_job.h"
#include "launch/plan.h"

namespace rollcall::launch {

/// The launch values of one node rank as entries of a container's env, in the order of handed_over_names(). Address and
/// endpoint are fieldRefs on annotations that the operator writes during the roll call.
nlohmann::json launch_values(const api::TrainingJob& job, const Plan& plan, int node_rank);

/// `first`, then those entries of `user` whose names are not in it. Ours stand first, so that `$(MASTER_ADDR)` composes
/// in the user's.
nlohmann::json env_with(const nlohmann::json& first, const nlohmann::json& user);

}  // namespace rollcall::launch
