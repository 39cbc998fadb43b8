#include "kube/queue.h"

#include <condition_variable>
#include <mutex>

#include "kube/queue_core.h"

namespace rollcall::kube {

namespace {
using Clock = std::chrono::steady_clock;
}

struct WorkQueue::State {
  mutable std::mutex mutex;
  std::condition_variable changed;
  explicit State(QueueHooks hooks) : core(std::move(hooks)) {}
  QueueCore core;
  bool closed = false;
};

WorkQueue::WorkQueue(QueueHooks hooks) : state_(std::make_unique<State>(std::move(hooks))) {}
WorkQueue::~WorkQueue() { shut_down(); }

void WorkQueue::add(const std::string& key) {
  const std::lock_guard lock(state_->mutex);
  state_->core.add(key, Clock::now());
  state_->changed.notify_one();
}

void WorkQueue::add_after(const std::string& key, std::chrono::milliseconds delay) {
  const std::lock_guard lock(state_->mutex);
  state_->core.add_at(key, Clock::now() + delay);
  state_->changed.notify_one();  // its due time may be the next
}

void WorkQueue::add_backing_off(const std::string& key) {
  const std::lock_guard lock(state_->mutex);
  state_->core.add_backing_off(key, Clock::now());
  state_->changed.notify_one();
}

void WorkQueue::forget(const std::string& key) {
  const std::lock_guard lock(state_->mutex);
  state_->core.forget(key);
}

std::optional<std::string> WorkQueue::take() {
  std::unique_lock lock(state_->mutex);
  while (!state_->closed) {
    if (auto key = state_->core.take(Clock::now())) {
      // One notification may have been for two keys that were due together.
      if (state_->core.has_ready()) state_->changed.notify_one();
      return key;
    }
    if (const auto due = state_->core.next_due()) {
      state_->changed.wait_until(lock, *due);
    } else {
      state_->changed.wait(lock);
    }
  }
  return std::nullopt;
}

void WorkQueue::done(const std::string& key) {
  const std::lock_guard lock(state_->mutex);
  state_->core.done(key, Clock::now());
  state_->changed.notify_one();
}

void WorkQueue::shut_down() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  state_->changed.notify_all();
}

std::size_t WorkQueue::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->core.size();
}

QueueFigures WorkQueue::figures() const {
  const std::lock_guard lock(state_->mutex);
  return state_->core.figures(Clock::now());
}

}  // namespace rollcall::kube
