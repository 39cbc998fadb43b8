#pragma once

#include <vector>

#include "launch/kinds/context.h"
#include "launch/kinds/node_pods.h"
#include "launch/launch.h"

namespace rollcall::launch::rules {

/// Bare Pods of one world and the Service of the input by whose name they meet.
struct Meeting {
  const Service* service = nullptr;  ///< nullptr: they meet otherwise, or by a Service that chooses no pods by labels
  std::vector<const NodePod*> pods;
};

/// That of the world that `launch` is a node of. A world is asked about once: of each pod but its first there is none.
Meeting meeting_of(const Launch& launch);

/// Whether the Service's selector takes the pod. Nobody adds labels to a bare Pod.
bool selects(const Service& service, const NodePod& pod);

}  // namespace rollcall::launch::rules
