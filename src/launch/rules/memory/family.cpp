#include "launch/rules/memory/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &memory_small_shm,         &memory_no_shm,           &memory_shm_over_limit, &memory_limit_without_room,
    &memory_shm_without_bound, &memory_huge_pages_alone,
};

}  // namespace

std::span<const Rule* const> memory() { return kRules; }

}  // namespace rollcall::launch::rules
