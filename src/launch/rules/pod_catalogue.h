#pragma once

#include "launch/rules/rule.h"

/// Rules about what the pods of a job are made of, whoever launches in them; a part of the catalogue.
namespace rollcall::launch::rules {

extern const Rule mpi_another_mpi;
extern const Rule scheduling_gang_waits_for_launcher;
extern const Rule memory_small_shm;
extern const Rule mesh_sidecar;
extern const Rule gpu_visible_without_request;
extern const Rule rdma_locked_memory_without_root;
extern const Rule host_network_names_do_not_resolve;
extern const Rule rdma_nvlink_without_claim;
extern const Rule rdma_devices_of_the_node;
extern const Rule gpu_processes_by_cpus;

}  // namespace rollcall::launch::rules
