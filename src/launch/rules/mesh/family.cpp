#include "launch/rules/mesh/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &mesh_sidecar,
};

}  // namespace

std::span<const Rule* const> mesh() { return kRules; }

}  // namespace rollcall::launch::rules
