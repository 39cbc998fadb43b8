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

/// An entry of the env that shows the launcher some of the container's devices by their numbers.
struct Visible {
  const EnvEntry* entry = nullptr;  ///< of the role's env
  int seen = 0;                     ///< devices that it names, each once
};

/// Those of a role whose devices are known. Of numbers beyond the devices gpu/visible-devices-outside speaks: an entry
/// that has one is not here.
std::vector<Visible> visible_devices(const Role& role);

}  // namespace rollcall::launch::rules
