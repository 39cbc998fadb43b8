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

/// Whether `resource` counts devices that compute.
bool is_accelerator(std::string_view resource);

/// Whether one unit of `resource` has room for one process of a launcher and no more. A Neuron device has 2 to 8 cores
/// of a process each (the device plugin's `neuron` and `neurondevice`, against `neuroncore`), a TPU chip up to two, an
/// Intel GPU a device for each tile: their number says nothing about the number of processes.
bool has_room_for_one(std::string_view resource);

/// Reads resources.limits, then resources.requests, as Kubernetes does for extended resources. Several kinds of slices
/// of one vendor (`nvidia.com/mig-1g.10gb`, …) count together.
Accelerators accelerators_of(const Field& container);

}  // namespace rollcall::launch
