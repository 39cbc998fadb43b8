#pragma once

#include "launch/launch.h"

namespace rollcall::launch::rules {

/// Whether the pods of this role are all the nodes that their world can have: they are started by the only launcher of
/// the only job of the input and take their place among their pods for their rank. A group of a LeaderWorkerSet is one
/// world by itself.
bool is_whole_world(const Launch& launch, const Role& role);

}  // namespace rollcall::launch::rules
