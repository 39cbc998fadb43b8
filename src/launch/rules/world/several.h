#pragma once

#include "launch/launch.h"

namespace rollcall::launch::rules {

/// Whether pods of this role must meet others: they are told of several nodes, and they are not node rank 0 alone.
inline bool several(const Role& role) {
  const auto& least = role.told.least_nodes;
  return least.known() && *least > 1 && role.pods.known() && (*role.pods > 1 || (!role.leads && *role.pods == 1));
}

}  // namespace rollcall::launch::rules
