#pragma once

#include <string>
#include <vector>

#include "launch/document/field.h"
#include "launch/kinds/mounted_files.h"
#include "launch/launch.h"

namespace rollcall::launch {

/// Why what a container's command starts may get variables from something that the manifest does not have: "the command
/// runs `source /opt/fabric/profile.sh`". Empty = they are read (read_command's Command::env). Parameters as there.
std::string set_elsewhere(const Field& container, const std::vector<EnvEntry>& env, const std::vector<EnvEntry>& given,
                          const MountedFiles& files = {});

}  // namespace rollcall::launch
