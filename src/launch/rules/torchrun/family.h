#pragma once

#include "launch/rules/families.h"

/// Rules about torchrun's flags.
namespace rollcall::launch::rules {

extern const Rule torchrun_nnodes_against_spec;
extern const Rule torchrun_processes_against_spec;
extern const Rule torchrun_constant_node_rank;
extern const Rule torchrun_standalone_with_several_nodes;
extern const Rule torchrun_nodes_not_told;
extern const Rule torchrun_no_node_rank;
extern const Rule torchrun_no_such_backend;
extern const Rule torchrun_restarts_with_static_rendezvous;

}  // namespace rollcall::launch::rules
