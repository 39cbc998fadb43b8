#include "launch/rules/host_network/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &host_network_names_do_not_resolve,
};

}  // namespace

std::span<const Rule* const> host_network() { return kRules; }

}  // namespace rollcall::launch::rules
