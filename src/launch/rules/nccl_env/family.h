#pragma once

#include "launch/rules/families.h"

/// Rules about NCCL's settings.
namespace rollcall::launch::rules {

extern const Rule nccl_env_loopback_readmitted;
extern const Rule nccl_env_loopback_interface;
extern const Rule nccl_env_interface_list;
extern const Rule nccl_env_gloo_interface;
extern const Rule nccl_env_left_over;
extern const Rule nccl_env_debug_left_on;
extern const Rule nccl_env_word_for_number;
extern const Rule nccl_env_value_not_known;
extern const Rule nccl_env_unknown_name;
extern const Rule nccl_env_old_torch_name;
extern const Rule nccl_env_differs_between_roles;

}  // namespace rollcall::launch::rules
