#include "launch/rules/env/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &env_handed_over_name,
};

}  // namespace

std::span<const Rule* const> env() { return kRules; }

}  // namespace rollcall::launch::rules
