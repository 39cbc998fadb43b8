#pragma once

#include <span>

#include "launch/rules/rule.h"

/// Every family's rules, in the order in which they are asked. A family is a folder; its rules are files there and
/// lines of its family.h and family.cpp.
namespace rollcall::launch::rules {

std::span<const Rule* const> document();
std::span<const Rule* const> spec();
std::span<const Rule* const> torchrun();
std::span<const Rule* const> gpu();
std::span<const Rule* const> world();
std::span<const Rule* const> rendezvous();
std::span<const Rule* const> rank();
std::span<const Rule* const> nccl_env();
std::span<const Rule* const> launcher();
std::span<const Rule* const> mpi();
std::span<const Rule* const> versions();
std::span<const Rule* const> scheduling();
std::span<const Rule* const> memory();
std::span<const Rule* const> mesh();
std::span<const Rule* const> rdma();
std::span<const Rule* const> host_network();
std::span<const Rule* const> lifecycle();
std::span<const Rule* const> trainer();
std::span<const Rule* const> ray();
std::span<const Rule* const> pods();
std::span<const Rule* const> suppression();
std::span<const Rule* const> env();

}  // namespace rollcall::launch::rules
