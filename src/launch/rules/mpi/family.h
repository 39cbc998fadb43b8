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
extern const Rule mpi_more_per_worker_than_slots;
extern const Rule mpi_replicas_the_controller_refuses;
extern const Rule mpi_ranks_in_the_launcher;
extern const Rule mpi_goes_round_again;

}  // namespace rollcall::launch::rules
