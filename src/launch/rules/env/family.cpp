#include "launch/rules/env/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &env_handed_over_name,
    &env_given_twice,
    &env_overridden_by_controller,
    &env_plugin_not_listed,
};

}  // namespace

std::span<const Rule* const> env() { return kRules; }

}  // namespace rollcall::launch::rules
