#pragma once

#include <span>
#include <string_view>

#include "launch/rules/rule.h"

namespace rollcall::launch {

/// Every rule, in the order they are asked: shape first, and those that keep silent where another denied last.
std::span<const Rule* const> all_rules();

/// The rule of this id; nullptr when there is none.
const Rule* find_rule(std::string_view id);

}  // namespace rollcall::launch
