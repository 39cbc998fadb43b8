#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "desk/token/review.h"
#include "roll_call/desk.h"

namespace rollcall::desk {

/// SHA-256 of a token, hex: what is kept in place of the token.
std::string token_hash(std::string_view token);

/// Reviews by token hash. Not thread-safe.
class ReviewCache {
 public:
  using TimePoint = roll_call::TimePoint;

  /// A good review stands this long. A deleted pod is refused from the watch within its delay whatever stands here;
  /// what a review alone can see (a service account deleted, keys rotated away) may take a minute. 1,000 nodes cost 17
  /// reviews/s.
  static constexpr std::chrono::seconds kGood{60};
  /// A refusal stands long enough that asking at once again costs nothing, short enough that a passing cause passes.
  static constexpr std::chrono::seconds kRefused{10};
  static constexpr std::size_t kMaxEntries = 20'000;

  std::optional<Review> find(const std::string& hash, TimePoint now) const;
  /// `token_expires`: seconds since 1970; nothing stands longer than its token.
  void put(const std::string& hash, Review review, std::int64_t token_expires, TimePoint now);
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Review review;
    TimePoint until;
  };
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace rollcall::desk
