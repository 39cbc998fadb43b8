#pragma once

#include <nlohmann/json.hpp>

#include "launch/launch.h"

namespace rollcall::launch {

/// Whether `object` says that it is a TrainingJob of this program's group, in whatever version.
bool is_training_job(const nlohmann::json& object);

/// The launch of a TrainingJob. Reads any object: what a schema would refuse is in Launch::shape, and the facts that
/// hang on it are unknown.
Launch read_training_job(const nlohmann::json& object);

}  // namespace rollcall::launch
