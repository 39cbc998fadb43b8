#include "launch/rules/mpi/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &mpi_more_ranks_than_slots, &mpi_workers_without_ranks, &mpi_another_mpi,
    &mpi_sshd_without_chroot,   &mpi_loopback_readmitted,
};

}  // namespace

std::span<const Rule* const> mpi() { return kRules; }

}  // namespace rollcall::launch::rules
