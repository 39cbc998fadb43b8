#pragma once

#include "launch/kinds/context.h"
#include "launch/kinds/node_pods.h"
#include "launch/launch.h"

namespace rollcall::launch::rules {

/// The Service of the input by whose name the pods of a world meet; nullptr when they meet otherwise, or by a Service
/// that chooses no pods by labels.
const Service* master_service(const Launch& launch, const NodePod& pod);

/// Whether the Service's selector takes the pod. Nobody adds labels to a bare Pod.
bool selects(const Service& service, const NodePod& pod);

}  // namespace rollcall::launch::rules
