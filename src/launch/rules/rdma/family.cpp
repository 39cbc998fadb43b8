#include "launch/rules/rdma/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &rdma_locked_memory_without_root, &rdma_nvlink_without_claim, &rdma_devices_of_the_node,
    &rdma_efa_without_device,         &rdma_fabric_not_used,      &rdma_no_locked_memory,
    &rdma_devices_not_allowed,
};

}  // namespace

std::span<const Rule* const> rdma() { return kRules; }

}  // namespace rollcall::launch::rules
