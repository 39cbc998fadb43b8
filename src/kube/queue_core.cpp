#include "kube/queue_core.h"

#include <algorithm>

namespace rollcall::kube {

void QueueCore::add(const std::string& key) {
  if (const auto later = delayed_.find(key); later != delayed_.end()) {
    by_time_.erase({later->second, key});
    delayed_.erase(later);
  }
  if (!dirty_.insert(key).second) return;
  if (!processing_.contains(key)) ready_.push_back(key);
}

void QueueCore::add_at(const std::string& key, TimePoint when) {
  // A key that waits for a worker already comes sooner than any delay. One that is being worked on does not count as
  // such: its worker is the one that asks to see it again later.
  if (dirty_.contains(key) && !processing_.contains(key)) return;
  const auto [entry, fresh] = delayed_.try_emplace(key, when);
  if (!fresh) {
    if (entry->second <= when) return;
    by_time_.erase({entry->second, key});
    entry->second = when;
  }
  by_time_.emplace(when, key);
}

void QueueCore::add_backing_off(const std::string& key, TimePoint now) {
  const int before = failures_[key]++;
  // 5 ms doubled 16 times is above 5 min.
  const auto delay = before >= 16 ? kLongestDelay : std::min(kLongestDelay, kFirstDelay * (1 << before));
  add_at(key, now + delay);
}

void QueueCore::wake(TimePoint now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const std::string key = by_time_.begin()->second;
    add(key);
  }
}

std::optional<std::string> QueueCore::take(TimePoint now) {
  wake(now);
  if (ready_.empty()) return std::nullopt;
  std::string key = std::move(ready_.front());
  ready_.pop_front();
  dirty_.erase(key);
  processing_.insert(key);
  return key;
}

void QueueCore::done(const std::string& key) {
  if (processing_.erase(key) > 0 && dirty_.contains(key)) ready_.push_back(key);
}

std::optional<QueueCore::TimePoint> QueueCore::next_due() const {
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

}  // namespace rollcall::kube
