#include "launch/rules/rank/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &rank_constant_rank,   &rank_index_of_a_job_without_one, &rank_outside_the_world,
    &rank_same_rank_twice, &rank_no_such_local_rank,         &rank_variable_of_another_kind,
};

}  // namespace

std::span<const Rule* const> rank() { return kRules; }

}  // namespace rollcall::launch::rules
