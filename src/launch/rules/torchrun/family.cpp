#include "launch/rules/torchrun/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &torchrun_nnodes_against_spec,
    &torchrun_processes_against_spec,
    &torchrun_constant_node_rank,
    &torchrun_standalone_with_several_nodes,
};

}  // namespace

std::span<const Rule* const> torchrun() { return kRules; }

}  // namespace rollcall::launch::rules
