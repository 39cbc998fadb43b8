#pragma once

#include <string>
#include <string_view>

#include "launch/document/field.h"
#include "launch/fact.h"

namespace rollcall::launch {

/// Devices a container asks for.
struct Accelerators {
  Fact<int> count;       ///< known 0 = none; unknown when they come by a claim, or the quantity is not a plain number
  std::string resource;  ///< `nvidia.com/gpu`; empty when none
};

/// Whether one unit of `resource` is one device that a process of its own can use.
bool is_accelerator(std::string_view resource);

/// Reads resources.limits, then resources.requests, as Kubernetes does for extended resources. Several kinds of slices
/// of one vendor (`nvidia.com/mig-1g.10gb`, …) count together.
Accelerators accelerators_of(const Field& container);

}  // namespace rollcall::launch
