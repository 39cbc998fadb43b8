#include "launch/rules/mpi/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &mpi_more_ranks_than_slots, &mpi_workers_without_ranks, &mpi_another_mpi,
    &mpi_sshd_without_chroot,   &mpi_loopback_readmitted,
    &mpi_more_ranks_than_slots, &mpi_workers_without_ranks, &mpi_another_mpi,     &mpi_more_slots_than_gpus,
    &mpi_launcher_with_gpus,    &mpi_worker_without_sshd,   &mpi_refused_to_root,
};

}  // namespace

std::span<const Rule* const> mpi() { return kRules; }

}  // namespace rollcall::launch::rules
