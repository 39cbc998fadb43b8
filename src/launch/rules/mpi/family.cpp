#include "launch/rules/mpi/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &mpi_more_ranks_than_slots,
    &mpi_workers_without_ranks,
    &mpi_another_mpi,
    &mpi_sshd_without_chroot,
    &mpi_loopback_readmitted,
    &mpi_more_slots_than_gpus,
    &mpi_launcher_with_gpus,
    &mpi_worker_without_sshd,
    &mpi_refused_to_root,
    &mpi_more_per_worker_than_slots,
    &mpi_replicas_the_controller_refuses,
    &mpi_ranks_in_the_launcher,
    &mpi_goes_round_again,
};

}  // namespace

std::span<const Rule* const> mpi() { return kRules; }

}  // namespace rollcall::launch::rules
