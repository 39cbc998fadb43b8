#include "doubles/cuda/stream.h"

#include <thread>

namespace rollcall::doubles {

Stream::Stream() {
  std::thread([this] { run(); }).detach();
}

void Stream::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) break;
    const auto work = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    const double seconds = work();
    lock.lock();
    clock_ += seconds;
    busy_ = false;
    changed_.notify_all();
  }
  lock.unlock();
  delete this;
}

void Stream::enqueue(std::function<double()> work) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(work));
  changed_.notify_all();
}

bool Stream::idle() {
  const std::lock_guard lock(mutex_);
  return !busy_ && queue_.empty();
}

void Stream::synchronize() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_ && queue_.empty(); });
}

double Stream::clock() {
  const std::lock_guard lock(mutex_);
  return clock_;
}

void Stream::destroy() {
  const std::lock_guard lock(mutex_);
  ends_ = true;
  changed_.notify_all();
}

}  // namespace rollcall::doubles
