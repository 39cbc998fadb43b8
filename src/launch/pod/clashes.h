#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "base/result.h"
#include "launch/plan.h"

namespace rollcall::launch {

/// The first thing in the template that stands where Rollcall must put something of its own, or a shape that no pod can
/// have; nullopt when there is none.
std::optional<Error> clash_in(const nlohmann::json& pod_template, const Plan& plan);

}  // namespace rollcall::launch
