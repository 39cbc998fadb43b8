#pragma once

#include "launch/rules/families.h"

/// Rules about where the world meets.
namespace rollcall::launch::rules {

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
extern const Rule rendezvous_c10d_without_endpoint;
extern const Rule rendezvous_c10d_through_cluster_ip;
extern const Rule rendezvous_name_of_no_pod;
extern const Rule rendezvous_stateful_set_without_service;
extern const Rule rendezvous_static_without_address;
extern const Rule rendezvous_endpoint_without_port;
extern const Rule rendezvous_c10d_publishes_host_name;
extern const Rule rendezvous_id_of_its_own;
extern const Rule rendezvous_names_only_when_ready;
extern const Rule rendezvous_host_names_switched_off;
extern const Rule rendezvous_ports_differ;
extern const Rule rendezvous_one_leader_for_all_groups;
extern const Rule rendezvous_subdomain_of_another_service;
extern const Rule rendezvous_falls_back_to_localhost;

}  // namespace rollcall::launch::rules
