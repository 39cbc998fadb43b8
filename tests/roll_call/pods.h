#pragma once

#include <string>

#include "roll_call/roll.h"

/// Pods of a job llama on nodes gpu-0, gpu-1 …, eight processes each.
namespace rollcall::roll_call::testing {

inline Pod placed_pod(int node_rank) {
  Pod pod;
  pod.node_rank = node_rank;
  pod.name = "llama-" + std::to_string(node_rank) + "-1";
  pod.ranks = api::ranks_of(node_rank, 8);
  pod.view = PodView{};
  pod.view->node = "gpu-" + std::to_string(node_rank);
  return pod;
}

}  // namespace rollcall::roll_call::testing
