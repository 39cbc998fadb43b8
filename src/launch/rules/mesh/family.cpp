#include "launch/rules/mesh/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &mesh_sidecar,
    &mesh_ports_not_admitted,
    &mesh_ranks_cut_off,
    &mesh_no_dns,
};

}  // namespace

std::span<const Rule* const> mesh() { return kRules; }

}  // namespace rollcall::launch::rules
