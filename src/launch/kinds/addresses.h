#pragma once

#include "launch/document/field.h"
#include "launch/launch.h"

namespace rollcall::launch {

/// Every master address and port that the manifest writes: spec.rendezvous, the trainer's env, the launcher's flags.
/// Needs launch.roles.
void read_addresses(const Field& rendezvous, Launch& launch);

}  // namespace rollcall::launch
