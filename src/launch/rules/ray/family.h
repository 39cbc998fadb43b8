#pragma once

#include "launch/rules/families.h"

/// Rules about RayCluster and RayJob (ray.io).
namespace rollcall::launch::rules {

extern const Rule ray_more_gpus_than_the_pod;
extern const Rule ray_fewer_gpus_than_the_pod;
extern const Rule ray_gpus_without_request;
extern const Rule ray_versions_differ;
extern const Rule ray_version_against_image;
extern const Rule ray_replicas_beyond_the_most;
extern const Rule ray_entrypoint_beyond_every_pod;
extern const Rule ray_resources_twice;

}  // namespace rollcall::launch::rules
