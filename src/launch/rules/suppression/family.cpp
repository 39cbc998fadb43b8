#include "launch/rules/suppression/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &suppression_without_reason,
    &suppression_of_no_rule,
    &suppression_of_nothing,
};

}  // namespace

std::span<const Rule* const> suppression() { return kRules; }

}  // namespace rollcall::launch::rules
