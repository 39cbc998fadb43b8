#include "launch/rules/host_network/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &host_network_names_do_not_resolve,
    &host_network_fixed_port,
    &host_network_gloo_by_host_name,
    &host_network_ssh_port_of_the_node,
};

}  // namespace

std::span<const Rule* const> host_network() { return kRules; }

}  // namespace rollcall::launch::rules
