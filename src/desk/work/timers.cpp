#include "desk/work/timers.h"

#include <exception>

#include "telemetry/log.h"

namespace rollcall::desk {

Timers::Timers() : thread_([this] { run(); }) {}

Timers::~Timers() { stop(); }

void Timers::at(Clock::time_point when, std::function<void()> act) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  const bool first = waiting_.empty() || when < waiting_.begin()->first;
  waiting_.emplace(when, std::move(act));
  if (first) changed_.notify_one();
}

void Timers::stop() {
  std::multimap<Clock::time_point, std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(waiting_);  // their ends may call us: not under the lock
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Timers::run() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (waiting_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto due = waiting_.begin()->first;
    if (Clock::now() < due) {
      changed_.wait_until(lock, due);
      continue;
    }
    auto act = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    lock.unlock();
    try {
      act();
    } catch (const std::exception& e) {
      log::error("timer work failed", {{"error", e.what()}});
    }
    act = nullptr;
    lock.lock();
  }
}

}  // namespace rollcall::desk
