#pragma once

#include <nlohmann/json.hpp>

#include "launch/launch.h"

namespace rollcall::launch {

/// Whether `object` says that it is a TrainingJob of this program's group, in whatever version.
bool is_training_job(const nlohmann::json& object);

/// The launch of a TrainingJob. Reads any object: what a schema would refuse is in Launch::shape, and the facts that
/// hang on it are unknown. `around`: the other objects that are known; nullptr = none.
Launch read_training_job(const nlohmann::json& object, const Context* around = nullptr);

}  // namespace rollcall::launch
