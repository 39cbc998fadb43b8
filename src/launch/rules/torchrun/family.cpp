#include "launch/rules/torchrun/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &torchrun_nnodes_against_spec, &torchrun_processes_against_spec,
    &torchrun_constant_node_rank,  &torchrun_standalone_with_several_nodes,
    &torchrun_nodes_not_told,      &torchrun_no_node_rank,
    &torchrun_no_such_backend,     &torchrun_restarts_with_static_rendezvous,
};

}  // namespace

std::span<const Rule* const> torchrun() { return kRules; }

}  // namespace rollcall::launch::rules
