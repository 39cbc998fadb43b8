#pragma once

#include <string>

#include "launch/launch.h"

namespace rollcall::launch::rules {

/// A patch that makes a constant node rank in the command the pod's own index; empty where the kind's controller gives
/// none, or the rank stands in a script or in the env, where the kubelet does not know the index yet.
std::string own_rank_patch(const Launch& launch, const Role& role);

}  // namespace rollcall::launch::rules
