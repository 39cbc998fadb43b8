#include "launch/rules/scheduling/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &scheduling_gang_smaller_than_job,
    &scheduling_gang_waits_for_launcher,
};

}  // namespace

std::span<const Rule* const> scheduling() { return kRules; }

}  // namespace rollcall::launch::rules
