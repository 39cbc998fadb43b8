#include "launch/rules/rank/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &rank_constant_rank,
    &rank_index_of_a_job_without_one,
};

}  // namespace

std::span<const Rule* const> rank() { return kRules; }

}  // namespace rollcall::launch::rules
