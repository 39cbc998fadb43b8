#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "launch/launch.h"

namespace rollcall::launch {

/// An object of a kind that nobody reads and that is nearly one that is read: another spelling of its name in a group
/// that has no such kind (`PytorchJob`), the name in another project's group (`kubeflow.org/v1` TrainJob), a group that
/// is a letter off. The launch has the kind no_kind, no roles, and one misspelling in its shape. nullopt for everything
/// else: the world has many kinds, and most mean what they say.
std::optional<Launch> read_near_kind(const nlohmann::json& object, const Context& around);

}  // namespace rollcall::launch
