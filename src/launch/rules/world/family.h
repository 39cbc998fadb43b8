#pragma once

#include "launch/rules/families.h"

/// Rules about the size of the world.
namespace rollcall::launch::rules {

extern const Rule world_size_is_not_the_product;
extern const Rule world_workers_without_master;
extern const Rule world_elastic_beside_master;
extern const Rule world_runs_in_turns;
extern const Rule world_task_beside_the_world;
extern const Rule world_size_is_not_the_pods;
extern const Rule world_sub_groups_do_not_divide;
extern const Rule world_no_pods_in_a_group;

}  // namespace rollcall::launch::rules
