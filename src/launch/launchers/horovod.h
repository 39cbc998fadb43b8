#pragma once

#include "launch/launchers/flags.h"

namespace rollcall::launch {

/// `horovodrun`: starts `-np` ranks over ssh, on the hosts of `-H` or of a host file, else all on the pod itself.
const Grammar& horovod_grammar();

}  // namespace rollcall::launch
