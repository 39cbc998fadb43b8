#include "launch/rules/world/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &world_size_is_not_the_product,  &world_workers_without_master,
    &world_elastic_beside_master,    &world_runs_in_turns,
    &world_task_beside_the_world,    &world_size_is_not_the_pods,
    &world_sub_groups_do_not_divide, &world_no_pods_in_a_group,
};

}  // namespace

std::span<const Rule* const> world() { return kRules; }

}  // namespace rollcall::launch::rules
