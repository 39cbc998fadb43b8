#include "roll_call/collective/sizes.h"

#include <algorithm>

namespace rollcall::roll_call {

bool simulated(const Roll& roll) {
  return roll.simulated || std::any_of(roll.pods.begin(), roll.pods.end(), [](const Pod& pod) {
           return (pod.gpu && pod.gpu->simulated) || (pod.nccl && pod.nccl->simulated);
         });
}

std::int64_t large_bytes(const Roll& roll) { return simulated(roll) ? kSimulatedBytes : kLargeBytes; }

std::chrono::milliseconds scaled(const Roll& roll, std::chrono::milliseconds base) {
  const auto& percent = roll.spec.thresholds.deadline_percent;
  return percent ? base * percent->value / 100 : base;
}

std::chrono::milliseconds child_deadline(const Roll& roll, std::chrono::milliseconds base) {
  double slowest = 0;
  for (const Pod& pod : roll.pods) slowest = std::max(slowest, pod.gpu ? pod.gpu->init_seconds : 0);
  // The product is bounded before it becomes an integer: the seconds come from a pod.
  const double wanted = std::min(slowest * kInitFactor * 1000, static_cast<double>(kInitMost.count()));
  const auto init = std::max(kInitLeast, std::chrono::milliseconds{static_cast<std::int64_t>(wanted)});
  return scaled(roll, base + init);
}

}  // namespace rollcall::roll_call
