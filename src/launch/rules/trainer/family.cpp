#include "launch/rules/trainer/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &trainer_reserved_env,      &trainer_reserved_env_of_some_runtimes, &trainer_gpus_not_counted,
    &trainer_no_trainer_step,   &trainer_nothing_handed_over,           &trainer_address_of_no_pod,
    &trainer_several_launchers, &trainer_fewer_ranks_than_gpus,         &trainer_nccl_without_gpus,
    &trainer_patch_of_nothing,  &trainer_launcher_without_nodes,        &trainer_step_without_container,
};

}  // namespace

std::span<const Rule* const> trainer() { return kRules; }

}  // namespace rollcall::launch::rules
