#pragma once

#include "launch/rules/families.h"

/// Rules about mpirun and its workers.
namespace rollcall::launch::rules {

extern const Rule mpi_more_ranks_than_slots;
extern const Rule mpi_workers_without_ranks;
extern const Rule mpi_another_mpi;
extern const Rule mpi_sshd_without_chroot;
extern const Rule mpi_loopback_readmitted;
extern const Rule mpi_more_slots_than_gpus;
extern const Rule mpi_launcher_with_gpus;
extern const Rule mpi_worker_without_sshd;
extern const Rule mpi_refused_to_root;

}  // namespace rollcall::launch::rules
