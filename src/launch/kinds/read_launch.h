#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "launch/launch.h"

namespace rollcall::launch {

class Context;

/// The launch of an object of any kind, with what a schema would refuse in its shape: reader, types, misspelt fields.
/// nullopt for an object that no rule is asked about. The launch refers to the object and to `around`.
std::optional<Launch> read_launch(const nlohmann::json& object, const Context& around);

}  // namespace rollcall::launch
