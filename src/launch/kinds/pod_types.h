#pragma once

#include "launch/launch.h"

namespace rollcall::launch {

/// Values of a type that the API server refuses, where people get them wrong: a number as an env value or in a command,
/// `hostNetwork: "true"`, PyTorchJob's nprocPerNode without quotes. Into launch.shape.
void find_wrong_types(Launch& launch);

}  // namespace rollcall::launch
