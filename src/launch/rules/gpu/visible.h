#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/launch.h"

namespace rollcall::launch::rules {

/// The numbers of a list of devices like `0,1`; nullopt for what names devices otherwise (`GPU-8932f937`, `all`).
std::optional<std::vector<int>> device_numbers(const std::string& text);

/// Whether the launcher sees this entry of the container's env: a script may give the variable another value, or one
/// that is not known, in front of it. True where the command is not read.
bool reaches_launcher(const Role& role, const EnvEntry& entry);

}  // namespace rollcall::launch::rules
