#pragma once

#include "launch/rules/families.h"

/// Rules about memory and /dev/shm.
namespace rollcall::launch::rules {

extern const Rule memory_small_shm;

}  // namespace rollcall::launch::rules
