#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "kube/queue.h"

namespace rollcall::kube {

/// What WorkQueue decides, without threads and clock: which key is next, and when.
class QueueCore {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// First delay after a failure, doubled with each, up to the longest: short enough that a cluster which was down for
  /// an hour is caught up with minutes after its return.
  static constexpr std::chrono::milliseconds kFirstDelay{5};
  static constexpr std::chrono::milliseconds kLongestDelay{std::chrono::minutes{5}};

  explicit QueueCore(QueueHooks hooks = {}) : hooks_(std::move(hooks)) {}

  void add(const std::string& key, TimePoint now);
  /// Of two delays of one key the earlier counts.
  void add_at(const std::string& key, TimePoint when);
  void add_backing_off(const std::string& key, TimePoint now);
  void forget(const std::string& key) { failures_.erase(key); }
  std::optional<std::string> take(TimePoint now);
  void done(const std::string& key, TimePoint now);

  /// When the next delayed key is due.
  std::optional<TimePoint> next_due() const;
  /// Keys that wait, delayed ones included.
  std::size_t size() const { return ready_.size() + delayed_.size(); }
  bool has_ready() const { return !ready_.empty(); }
  QueueFigures figures(TimePoint now) const;

 private:
  void wake(TimePoint now);

  const QueueHooks hooks_;
  std::deque<std::string> ready_;
  std::map<std::string, TimePoint> dirty_;       ///< waits in ready_, or comes back after its work; since when
  std::map<std::string, TimePoint> processing_;  ///< taken and not done; since when
  std::map<std::string, TimePoint> delayed_;
  std::set<std::pair<TimePoint, std::string>> by_time_;  ///< the same, in order
  std::map<std::string, int> failures_;
};

}  // namespace rollcall::kube
