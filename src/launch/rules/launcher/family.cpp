#include "launch/rules/launcher/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &launcher_deepspeed_in_every_pod,
};

}  // namespace

std::span<const Rule* const> launcher() { return kRules; }

}  // namespace rollcall::launch::rules
