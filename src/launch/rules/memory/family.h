#pragma once

#include "launch/rules/families.h"

/// Rules about memory and /dev/shm.
namespace rollcall::launch::rules {

extern const Rule memory_small_shm;
extern const Rule memory_no_shm;
extern const Rule memory_shm_over_limit;
extern const Rule memory_limit_without_room;
extern const Rule memory_shm_without_bound;
extern const Rule memory_huge_pages_alone;

}  // namespace rollcall::launch::rules
