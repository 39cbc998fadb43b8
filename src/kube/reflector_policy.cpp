#include "kube/reflector_policy.h"

#include <algorithm>
#include <cmath>

namespace rollcall::kube {

namespace {

/// Pages are made smaller down to this: ten objects of etcd's limit stay below the client's reply limit.
constexpr int kSmallestPage = 10;

bool expired(const ApiError& error) {
  if (error.gone() || error.reason == "Expired" || error.reason == "Gone") return true;
  // The server is behind the version asked for, and may be for ever (restored from a backup).
  return error.http == 504 && error.message.find("Too large resource version") != std::string::npos;
}

}  // namespace

std::string restart_reason(const ApiError& error) {
  if (expired(error)) return "expired";
  if (error.reason == "ResponseTooLarge") return "too-large";
  if (error.reason == "LineTooLong" || error.reason == "BrokenStream") return "broken";
  if (error.http == 429) return "throttled";
  if (error.http == 0 || error.http >= 500) return "unreachable";
  return "refused";
}

ReflectorPolicy::Step ReflectorPolicy::next() {
  Step step{.act = act_, .wait = wait_, .page = page_};
  wait_ = std::chrono::milliseconds{0};
  if (act_ == Act::List) {
    step.resource_version = list_version_;
  } else {
    step.resource_version = seen_;
    const double range = std::chrono::duration<double>(kLongestWatch - kShortestWatch).count();
    step.server_timeout = kShortestWatch + std::chrono::seconds{std::lround(random_() * range)};
  }
  return step;
}

void ReflectorPolicy::list_anew(const std::string& resource_version) {
  act_ = Act::List;
  list_version_ = resource_version;
}

void ReflectorPolicy::back_off(const std::optional<ApiError>& error, TimePoint now) {
  if (last_failure_ && now - *last_failure_ > kHealthy) delay_ = kFirstDelay;
  last_failure_ = now;
  // Up to twice the delay, so that reflectors that failed together do not come back together.
  wait_ = std::chrono::milliseconds{std::lround(static_cast<double>(delay_.count()) * (1 + random_()))};
  if (error) wait_ = std::max<std::chrono::milliseconds>(wait_, std::chrono::seconds{error->retry_after_seconds});
  delay_ = std::min(delay_ * 2, kLongestDelay);
}

void ReflectorPolicy::listed(const std::string& resource_version) {
  seen_ = resource_version;
  heard_ = false;
  act_ = Act::Watch;
}

void ReflectorPolicy::list_failed(const ApiError& error, TimePoint now) {
  count(restart_reason(error));
  back_off(error, now);
  if (expired(error)) {
    list_version_.clear();  // a read that must be current
  } else if (error.reason == "ResponseTooLarge") {
    // From the watch cache ("0") the server may give everything in one reply whatever the page; a current read is
    // paged.
    if (list_version_.empty()) page_ = std::max(kSmallestPage, page_ / 4);
    list_version_.clear();
  }
}

void ReflectorPolicy::watch_started(TimePoint now) {
  watch_started_ = now;
  heard_in_watch_ = false;
}

void ReflectorPolicy::saw(const std::string& resource_version) {
  heard_ = heard_in_watch_ = true;
  if (!resource_version.empty()) seen_ = resource_version;
}

void ReflectorPolicy::watch_ended(const std::optional<ApiError>& error, TimePoint now) {
  if (!error) {
    const bool too_short = !heard_in_watch_ && now - watch_started_ < kTooShort;
    count(too_short ? "short" : "closed");
    if (too_short) back_off(error, now);
    return;
  }
  const std::string reason = restart_reason(*error);
  count(reason);
  if (reason == "expired") {
    // What was missed is gone from the server's memory, as that of a restarted one always is: ordinary, and no reason
    // to wait, unless the state that was just listed is gone already.
    if (!heard_) back_off(error, now);
    list_anew("");
    return;
  }
  back_off(error, now);
  // A line we cannot take would be sent again by a watch from the same version: a list steps over it. A current one: a
  // page of the version seen last would be the state as it was then, and the watch would begin there again.
  if (reason == "broken") list_anew("");
}

}  // namespace rollcall::kube
