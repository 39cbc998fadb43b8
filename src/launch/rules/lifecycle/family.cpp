#include "launch/rules/lifecycle/family.h"

namespace rollcall::launch::rules {
std::span<const Rule* const> lifecycle() { return {}; }

}  // namespace rollcall::launch::rules
