#include "launch/rules/versions/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &versions_images_differ,
    &versions_floating_tag,
    &versions_etcd_v2_race,
};

}  // namespace

std::span<const Rule* const> versions() { return kRules; }

}  // namespace rollcall::launch::rules
