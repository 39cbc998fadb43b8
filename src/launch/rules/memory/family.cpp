#include "launch/rules/memory/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &memory_small_shm,
};

}  // namespace

std::span<const Rule* const> memory() { return kRules; }

}  // namespace rollcall::launch::rules
