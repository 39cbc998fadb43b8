#pragma once

#include <string>

#include "launch/launch.h"

namespace rollcall::launch::rules {

/// A JSON patch that makes the role start a process for each of its GPUs, which are known: in the one number of the
/// spec, or in the launcher's flag of kinds in which nothing else counts the processes. Empty where more than one
/// number would have to change, or none is written.
std::string processes_patch(const Launch& launch, const Role& role);

}  // namespace rollcall::launch::rules
