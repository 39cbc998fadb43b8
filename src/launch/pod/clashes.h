#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "launch/plan.h"

namespace rollcall::launch {

/// Something of the user's that stands where Rollcall must put something of its own.
struct Clash {
  std::string path;
  std::string message;
  std::string fix;
};

/// The first clash in a pod spec, or nullopt; what has another shape than a pod's is passed over.
std::optional<Clash> taken_in(const nlohmann::json& pod_spec, std::size_t trainer_index);

/// The first thing in the template that stands where Rollcall must put something of its own, or a shape that no pod can
/// have; nullopt when there is none.
std::optional<Error> clash_in(const nlohmann::json& pod_template, const Plan& plan);

}  // namespace rollcall::launch
