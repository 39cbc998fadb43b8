#include "launch/rules/pods/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &pods_same_node_rank,
    &pods_nodes_missing,
    &pods_service_misses_the_master,
    &pods_service_of_several,
};

}  // namespace

std::span<const Rule* const> pods() { return kRules; }

}  // namespace rollcall::launch::rules
