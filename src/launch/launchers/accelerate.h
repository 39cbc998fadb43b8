#pragma once

#include "launch/launchers/flags.h"

namespace rollcall::launch {

/// `accelerate launch`. Its `--num-processes` is the total over all machines.
const Grammar& accelerate_grammar();

}  // namespace rollcall::launch
