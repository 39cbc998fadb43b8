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

}  // namespace rollcall::launch::rules
