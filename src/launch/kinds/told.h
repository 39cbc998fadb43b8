#pragma once

#include "launch/launch.h"

namespace rollcall::launch {

/// Works out Role::told and Role::processes_per_node from the launcher's flags, and where there is none from the env
/// that reaches it. Needs command, container and gpus_per_pod.
void read_told(Role& role);

}  // namespace rollcall::launch
