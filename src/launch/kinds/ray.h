#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/document/field.h"
#include "launch/fact.h"
#include "launch/launch.h"

/// What RayCluster and RayJob (ray.io/v1, KubeRay 1.6) say of one group of pods: the head or a group of workers. For
/// the reader and the rules of family `ray`.
namespace rollcall::launch {

struct RayGroup {
  std::string name;  ///< "the head", "worker group `a100`"
  bool head = false;
  Field spec;       ///< headGroupSpec, or an entry of workerGroupSpecs
  Field container;  ///< the one that runs `ray start`: KubeRay takes the first
  Fact<int> pods;   ///< 1, or replicas x numOfHosts
};

/// Where the cluster's spec stands: `spec`, or a RayJob's `spec.rayClusterSpec`; absent for a RayJob that names a
/// cluster by clusterSelector.
Field ray_cluster_spec(const Launch& launch);

/// Head first.
std::vector<RayGroup> ray_groups(const Launch& launch);

/// GPUs that Ray believes a pod of the group to have: rayStartParams' num-gpus, else the container's, as KubeRay counts
/// them. Open where the group has `resources` of its own.
Fact<int> ray_gpus(const RayGroup& group);

}  // namespace rollcall::launch
