#pragma once

#include "launch/launchers/flags.h"

namespace rollcall::launch {

const Grammar& deepspeed_grammar();

}  // namespace rollcall::launch
