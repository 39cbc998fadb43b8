#pragma once

#include <chrono>
#include <string>

#include "base/result.h"

namespace rollcall::webhook {

/// The API server's default and longest patience with a webhook.
inline constexpr std::chrono::milliseconds kDefaultTimeLimit{10'000};
inline constexpr std::chrono::milliseconds kLongestTimeLimit{30'000};

struct Target {
  std::string path;
  std::chrono::milliseconds limit = kDefaultTimeLimit;
};

/// Splits a request's target. Of the query only `timeout` is read: a duration as Go writes it (`5s`, `1.5s`, `500ms`),
/// which the API server sends; above the longest it counts as the longest. An Error is a timeout that is none.
Result<Target> target_of(const std::string& target);

}  // namespace rollcall::webhook
