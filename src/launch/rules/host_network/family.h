#pragma once

#include "launch/rules/families.h"

/// Rules about pods on the network of their node.
namespace rollcall::launch::rules {

extern const Rule host_network_names_do_not_resolve;
extern const Rule host_network_fixed_port;
extern const Rule host_network_gloo_by_host_name;
extern const Rule host_network_ssh_port_of_the_node;

}  // namespace rollcall::launch::rules
