#pragma once

#include "launch/rules/families.h"

/// Rules about NCCL's settings.
namespace rollcall::launch::rules {

extern const Rule nccl_env_loopback_readmitted;

}  // namespace rollcall::launch::rules
