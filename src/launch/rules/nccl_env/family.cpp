#include "launch/rules/nccl_env/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &nccl_env_loopback_readmitted,
};

}  // namespace

std::span<const Rule* const> nccl_env() { return kRules; }

}  // namespace rollcall::launch::rules
