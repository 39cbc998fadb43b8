#pragma once

#include "launch/rules/families.h"

/// Rules about who is which node.
namespace rollcall::launch::rules {

extern const Rule rank_constant_rank;
extern const Rule rank_index_of_a_job_without_one;
extern const Rule rank_outside_the_world;
extern const Rule rank_same_rank_twice;
extern const Rule rank_no_such_local_rank;
extern const Rule rank_variable_of_another_kind;

}  // namespace rollcall::launch::rules
