#pragma once

#include "launch/launchers/flags.h"

namespace rollcall::launch {

/// torchrun, `python -m torch.distributed.run` and `.launch`, and `tune run`.
const Grammar& torchrun_grammar();

}  // namespace rollcall::launch
