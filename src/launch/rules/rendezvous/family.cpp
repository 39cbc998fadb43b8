#include "launch/rules/rendezvous/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &rendezvous_host_name,
    &rendezvous_localhost,
    &rendezvous_wildcard,
    &rendezvous_link_local,
    &rendezvous_unparsable_address,
    &rendezvous_written_down_address,
    &rendezvous_port_out_of_range,
    &rendezvous_privileged_port,
    &rendezvous_ephemeral_port,
    &rendezvous_port_against_spec,
    &rendezvous_c10d_without_endpoint,
    &rendezvous_c10d_through_cluster_ip,
    &rendezvous_name_of_no_pod,
    &rendezvous_stateful_set_without_service,
    &rendezvous_static_without_address,
    &rendezvous_endpoint_without_port,
    &rendezvous_c10d_publishes_host_name,
    &rendezvous_id_of_its_own,
    &rendezvous_names_only_when_ready,
    &rendezvous_host_names_switched_off,
    &rendezvous_ports_differ,
    &rendezvous_one_leader_for_all_groups,
    &rendezvous_subdomain_of_another_service,
    &rendezvous_falls_back_to_localhost,
};

}  // namespace

std::span<const Rule* const> rendezvous() { return kRules; }

}  // namespace rollcall::launch::rules
