#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_map>

#include "roll_call/desk.h"

namespace rollcall::desk {

/// How often something may happen: `per_second` on average, `burst` at once.
struct Rate {
  double per_second = 1;
  double burst = 1;
};

/// Limits on TokenReviews. 2,000 forged reviews a second cost an API server more than a core (measured); the signature
/// check keeps forgeries from coming this far, these keep a pod with a true token from doing the same.
struct ReviewRates {
  Rate in_all{500, 1000};    ///< a job of 1,000 nodes is reviewed in its first second
  Rate per_source{20, 100};  ///< pods of one node may share a source address
  Rate per_uid{0.5, 5};      ///< a pod needs one a minute
};

/// Not thread-safe.
class ReviewCaps {
 public:
  using TimePoint = roll_call::TimePoint;
  explicit ReviewCaps(ReviewRates rates = {}) : rates_(rates) {}

  /// True = go ahead, counted in all three; false = a limit is reached, and nothing is counted.
  bool take(const std::string& source, const std::string& uid, TimePoint now);
  std::size_t remembered() const { return sources_.size() + uids_.size(); }

 private:
  struct Bucket {
    double tokens = 0;
    TimePoint at{};
  };
  using Table = std::unordered_map<std::string, Bucket>;
  Bucket& fill(Table& table, const std::string& key, Rate rate, TimePoint now);

  /// Entries a table keeps; above it full buckets (nothing happened lately) are dropped. 4,000 connections name fewer.
  static constexpr std::size_t kMaxEntries = 20'000;

  ReviewRates rates_;
  Table all_, sources_, uids_;
};

}  // namespace rollcall::desk
