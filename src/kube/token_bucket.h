#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>

namespace rollcall::kube {

/// How many requests may be sent: `burst` at once, `qps` a second on average. Any thread.
class TokenBucket {
 public:
  using Clock = std::chrono::steady_clock;

  /// `qps` <= 0 = no limit. A burst below 1 is 1: nothing could ever be sent.
  TokenBucket(double qps, int burst) : qps_(qps), burst_(std::max(1, burst)), tokens_(burst_) {}

  /// How long to wait before sending. Takes a place in the order of the calls; nullopt, and no place, when the wait
  /// would be longer than `longest`.
  std::optional<Clock::duration> take(Clock::time_point now, Clock::duration longest) {
    if (qps_ <= 0) return Clock::duration::zero();
    const std::lock_guard lock(mutex_);
    if (last_ != Clock::time_point{}) {
      const double passed = std::chrono::duration<double>(now - last_).count();
      tokens_ = std::min(burst_, tokens_ + std::max(0.0, passed) * qps_);
    }
    last_ = std::max(last_, now);
    const double lacking = std::max(0.0, 1 - tokens_);
    const auto wait = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(lacking / qps_));
    if (wait > longest) return std::nullopt;
    tokens_ -= 1;
    return wait;
  }

 private:
  const double qps_;
  const double burst_;
  std::mutex mutex_;
  double tokens_;  ///< below 0: places given to requests that wait
  Clock::time_point last_{};
};

}  // namespace rollcall::kube
