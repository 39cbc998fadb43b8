#include "launch/rules/registry.h"

#include <algorithm>
#include <array>

#include "launch/rules/catalogue.h"
#include "launch/rules/pod_catalogue.h"

namespace rollcall::launch {
namespace {

constexpr std::array kRules{
    &rules::document_duplicate_key,
    &rules::spec_missing_field,
    &rules::spec_wrong_type,
    &rules::spec_out_of_range,
    &rules::spec_clash,
    &rules::spec_no_such_container,
    &rules::spec_trainer_not_decided,
    &rules::spec_misspelt_field,
    &rules::torchrun_nnodes_against_spec,
    &rules::torchrun_processes_against_spec,
    &rules::torchrun_constant_node_rank,
    &rules::torchrun_standalone_with_several_nodes,
    &rules::gpu_more_processes_than_gpus,
    &rules::gpu_fewer_processes_than_gpus,
    &rules::world_size_is_not_the_product,
    &rules::rendezvous_host_name,
    &rules::rendezvous_localhost,
    &rules::rendezvous_wildcard,
    &rules::rendezvous_link_local,
    &rules::rendezvous_unparsable_address,
    &rules::rendezvous_written_down_address,
    &rules::rendezvous_port_out_of_range,
    &rules::rendezvous_privileged_port,
    &rules::rendezvous_ephemeral_port,
    &rules::rendezvous_port_against_spec,
    &rules::rank_constant_rank,
    &rules::rendezvous_c10d_without_endpoint,
    &rules::rendezvous_c10d_through_cluster_ip,
    &rules::rendezvous_name_of_no_pod,
    &rules::rendezvous_stateful_set_without_service,
    &rules::rank_index_of_a_job_without_one,
    &rules::world_workers_without_master,
    &rules::world_elastic_beside_master,
    &rules::gpu_counted_without_gpus,
    &rules::gpu_visible_devices_outside,
    &rules::nccl_env_loopback_readmitted,
    &rules::launcher_deepspeed_in_every_pod,
    &rules::mpi_more_ranks_than_slots,
    &rules::mpi_workers_without_ranks,
    &rules::versions_images_differ,
    &rules::scheduling_gang_smaller_than_job,
    &rules::mpi_another_mpi,
    &rules::scheduling_gang_waits_for_launcher,
    &rules::memory_small_shm,
    &rules::mesh_sidecar,
    &rules::gpu_visible_without_request,
    &rules::rdma_locked_memory_without_root,
    &rules::host_network_names_do_not_resolve,
    &rules::rdma_nvlink_without_claim,
    &rules::rdma_devices_of_the_node,
    &rules::gpu_processes_by_cpus,
    &rules::suppression_without_reason,
    &rules::suppression_of_no_rule,
    &rules::env_handed_over_name,
};

}  // namespace

std::span<const Rule* const> all_rules() { return kRules; }

const Rule* find_rule(std::string_view id) {
  const auto found = std::find_if(kRules.begin(), kRules.end(), [id](const Rule* rule) { return rule->id == id; });
  return found == kRules.end() ? nullptr : *found;
}

}  // namespace rollcall::launch
