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
extern const Rule rank_constant_rank;
extern const Rule rendezvous_c10d_without_endpoint;
extern const Rule rendezvous_c10d_through_cluster_ip;
extern const Rule rendezvous_name_of_no_pod;
extern const Rule rendezvous_stateful_set_without_service;
extern const Rule rank_index_of_a_job_without_one;
extern const Rule world_workers_without_master;
extern const Rule world_elastic_beside_master;
extern const Rule gpu_counted_without_gpus;
extern const Rule gpu_visible_devices_outside;
extern const Rule nccl_env_loopback_readmitted;
extern const Rule launcher_deepspeed_in_every_pod;
extern const Rule mpi_more_ranks_than_slots;
extern const Rule mpi_workers_without_ranks;
extern const Rule versions_images_differ;
extern const Rule scheduling_gang_smaller_than_job;

}  // namespace rollcall::launch::rules
