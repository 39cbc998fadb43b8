#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "range/network.h"

namespace rollcall::range {

/// Packets from `node` to `peer` (its address) arrive later by `delay`, in order and none lost; the other way stays as
/// it is. A TUN device takes them on their way out, a thread of ours keeps them and puts them on the wire: the kernel
/// at hand need not have netem.
class Delay {
 public:
  /// Throws when the device can't be made.
  static std::unique_ptr<Delay> start(const Network& network, int node, int peer, std::chrono::milliseconds delay);
  virtual ~Delay() = default;
};

}  // namespace rollcall::range
