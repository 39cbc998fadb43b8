#include "launch/rules/nccl_env/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &nccl_env_loopback_readmitted,
    &nccl_env_loopback_interface,
    &nccl_env_interface_list,
    &nccl_env_gloo_interface,
    &nccl_env_left_over,
    &nccl_env_debug_left_on,
    &nccl_env_word_for_number,
    &nccl_env_value_not_known,
    &nccl_env_unknown_name,
    &nccl_env_old_torch_name,
    &nccl_env_differs_between_roles,
};

}  // namespace

std::span<const Rule* const> nccl_env() { return kRules; }

}  // namespace rollcall::launch::rules
