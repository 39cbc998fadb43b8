#pragma once

#include "launch/rules/families.h"

/// Rules about which program starts the processes.
namespace rollcall::launch::rules {

extern const Rule launcher_deepspeed_in_every_pod;

}  // namespace rollcall::launch::rules
