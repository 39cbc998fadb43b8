#pragma once

#include "launch/rules/families.h"

/// Rules about torchrun's flags.
namespace rollcall::launch::rules {

extern const Rule torchrun_nnodes_against_spec;
extern const Rule torchrun_processes_against_spec;
extern const Rule torchrun_constant_node_rank;
extern const Rule torchrun_standalone_with_several_nodes;

}  // namespace rollcall::launch::rules
