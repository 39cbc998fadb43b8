#pragma once

#include <chrono>

#include "base/result.h"

namespace rollcall::kube {

/// client-go's figures: whoever holds the lease renews it every `retry` and stops leading when `renew` passed without
/// success; others take it over once they saw it unchanged for `lease`. lease > renew > 1.2 x retry.
struct LeaseTimes {
  std::chrono::milliseconds lease{15'000};
  std::chrono::milliseconds renew{10'000};
  std::chrono::milliseconds retry{2'000};
};

/// client-go's jitter: whoever waits for the lease waits `retry` x (1 to 2.2), so that the waiting do not ask in step.
inline constexpr double kLeaseJitter = 1.2;

/// An Error names the two times that stand in the wrong relation.
Status check(const LeaseTimes& times);

}  // namespace rollcall::kube
