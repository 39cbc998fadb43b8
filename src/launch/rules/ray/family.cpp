#include "launch/rules/ray/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &ray_more_gpus_than_the_pod, &ray_fewer_gpus_than_the_pod,  &ray_gpus_without_request,        &ray_versions_differ,
    &ray_version_against_image,  &ray_replicas_beyond_the_most, &ray_entrypoint_beyond_every_pod, &ray_resources_twice,
};

}  // namespace

std::span<const Rule* const> ray() { return kRules; }

}  // namespace rollcall::launch::rules
