#pragma once

#include "launch/rules/families.h"

/// Rules about who is which node.
namespace rollcall::launch::rules {

extern const Rule rank_constant_rank;
extern const Rule rank_index_of_a_job_without_one;

}  // namespace rollcall::launch::rules
