#pragma once

#include "launch/rules/families.h"

/// Rules about bare Pods of one input that are the nodes of one world.
namespace rollcall::launch::rules {

extern const Rule pods_same_node_rank;
extern const Rule pods_nodes_missing;
extern const Rule pods_service_misses_the_master;
extern const Rule pods_service_of_several;

}  // namespace rollcall::launch::rules
