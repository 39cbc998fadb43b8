#pragma once

#include "launch/launchers/flags.h"

namespace rollcall::launch {

/// Slurm's `srun`: starts a command once for each task, on nodes of an allocation of its own.
const Grammar& srun_grammar();

}  // namespace rollcall::launch
