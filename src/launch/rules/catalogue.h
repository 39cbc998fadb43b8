#pragma once

#include "launch/rules/rule.h"

/// Every rule, one a file.
namespace rollcall::launch::rules {

extern const Rule document_duplicate_key;
extern const Rule spec_missing_field;
extern const Rule spec_wrong_type;
extern const Rule spec_out_of_range;
extern const Rule spec_clash;
extern const Rule spec_no_such_container;
extern const Rule spec_trainer_not_decided;
extern const Rule spec_misspelt_field;
extern const Rule torchrun_nnodes_against_spec;
extern const Rule torchrun_processes_against_spec;
extern const Rule torchrun_constant_node_rank;
extern const Rule torchrun_standalone_with_several_nodes;
extern const Rule gpu_more_processes_than_gpus;
extern const Rule gpu_fewer_processes_than_gpus;
extern const Rule world_size_is_not_the_product;
extern const Rule rendezvous_host_name;
extern const Rule rendezvous_localhost;
extern const Rule rendezvous_wildcard;
extern const Rule rendezvous_link_local;
extern const Rule rendezvous_unparsable_address;
extern const Rule rendezvous_written_down_address;
extern const Rule rendezvous_port_out_of_range;
extern const Rule rendezvous_privileged_port;
extern const Rule rendezvous_ephemeral_port;
extern const Rule rendezvous_port_against_spec;
extern const Rule suppression_without_reason;
extern const Rule suppression_of_no_rule;
extern const Rule env_handed_over_name;

}  // namespace rollcall::launch::rules
