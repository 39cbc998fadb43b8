#include "kube/queue_core.h"

#include <algorithm>

namespace rollcall::kube {

namespace {
double seconds(QueueCore::TimePoint::duration time) { return std::chrono::duration<double>(time).count(); }
}  // namespace

void QueueCore::add(const std::string& key, TimePoint now) {
  if (const auto later = delayed_.find(key); later != delayed_.end()) {
    by_time_.erase({later->second, key});
    delayed_.erase(later);
  }
  if (!dirty_.try_emplace(key, now).second) return;
  if (hooks_.added) hooks_.added();
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
  if (hooks_.retried) hooks_.retried();
  const int before = failures_[key]++;
  // 5 ms doubled 16 times is above 5 min.
  const auto delay = before >= 16 ? kLongestDelay : std::min(kLongestDelay, kFirstDelay * (1 << before));
  add_at(key, now + delay);
}

void QueueCore::wake(TimePoint now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const std::string key = by_time_.begin()->second;
    add(key, by_time_.begin()->first);
  }
}

std::optional<std::string> QueueCore::take(TimePoint now) {
  wake(now);
  if (ready_.empty()) return std::nullopt;
  std::string key = std::move(ready_.front());
  ready_.pop_front();
  if (hooks_.taken) hooks_.taken(seconds(now - dirty_.at(key)));
  dirty_.erase(key);
  processing_.emplace(key, now);
  return key;
}

void QueueCore::done(const std::string& key, TimePoint now) {
  const auto work = processing_.find(key);
  if (work == processing_.end()) return;
  if (hooks_.done) hooks_.done(seconds(now - work->second));
  processing_.erase(work);
  if (dirty_.contains(key)) ready_.push_back(key);
}

QueueFigures QueueCore::figures(TimePoint now) const {
  QueueFigures figures{.depth = ready_.size()};
  for (const auto& [key, since] : processing_) {
    const double under_way = seconds(now - since);
    figures.unfinished_seconds += under_way;
    figures.longest_seconds = std::max(figures.longest_seconds, under_way);
  }
  return figures;
}

std::optional<QueueCore::TimePoint> QueueCore::next_due() const {
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

}  // namespace rollcall::kube
