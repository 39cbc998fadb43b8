#include "launch/rules/rdma/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &rdma_locked_memory_without_root,
    &rdma_nvlink_without_claim,
    &rdma_devices_of_the_node,
};

}  // namespace

std::span<const Rule* const> rdma() { return kRules; }

}  // namespace rollcall::launch::rules
