#pragma once

#include "launch/rules/families.h"

/// Rules about pods on the network of their node.
namespace rollcall::launch::rules {

extern const Rule host_network_names_do_not_resolve;

}  // namespace rollcall::launch::rules
