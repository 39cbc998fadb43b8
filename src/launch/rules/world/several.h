#pragma once

#include "launch/launch.h"

namespace rollcall::launch::rules {

/// Whether pods of this role must meet others: they are told of several nodes, and they are not node rank 0 alone.
inline bool several(const Role& role) {
  const auto& least = role.told.least_nodes;
  return least.known() && *least > 1 && role.pods.known() && (*role.pods > 1 || (!role.leads && *role.pods == 1));
}

/// Whether the launch is one world of several nodes, or has such a world in it.
inline bool has_several_nodes(const Launch& launch) {
  for (const Role& role : launch.roles) {
    const auto& least = role.told.least_nodes;
    if (least.known() && *least > 1) return true;
    if (launch.nodes_decided && role.nodes.known() && *role.nodes > 1) return true;
  }
  return false;
}

}  // namespace rollcall::launch::rules
