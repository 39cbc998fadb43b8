#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

namespace rollcall::soak {

/// Every choice of a soak follows from its seed, so that a run can be asked for again (what the cluster makes of it
/// differs in time all the same).
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// From `low` to `high`, both included.
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  template <typename T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(between(0, static_cast<int>(all.size()) - 1))];
  }
  /// Index of one of `weights`, as often as its share says.
  std::size_t weighed(const std::vector<int>& weights) {
    return std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(engine_);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace rollcall::soak
