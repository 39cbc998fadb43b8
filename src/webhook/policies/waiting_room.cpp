#include "webhook/policies/waiting_room.h"

#include <utility>

namespace rollcall::webhook {

WaitingRoom::WaitingRoom() : thread_([this] { run(); }) {}

WaitingRoom::~WaitingRoom() {
  close();
  thread_.join();
}

bool WaitingRoom::wait(const std::string& ns, Clock::time_point deadline, const std::function<bool()>& known,
                       Resume resume) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || guests_.size() >= kMost) return false;
    if (!known()) {
      guests_.emplace(deadline, Guest{ns, std::move(resume)});
      changed_.notify_one();
      return true;
    }
  }
  resume(End::came);
  return true;
}

void WaitingRoom::came(const std::string& ns) {
  std::vector<Guest> leaving;
  {
    const std::lock_guard lock(mutex_);
    leaving = take([&ns](Clock::time_point, const Guest& guest) { return guest.ns == ns; });
  }
  for (const Guest& guest : leaving) guest.resume(End::came);
}

void WaitingRoom::close() {
  std::vector<Guest> leaving;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    leaving = take([](Clock::time_point, const Guest&) { return true; });
    changed_.notify_one();
  }
  for (const Guest& guest : leaving) guest.resume(End::closed);
}

std::size_t WaitingRoom::waiting() const {
  const std::lock_guard lock(mutex_);
  return guests_.size();
}

void WaitingRoom::run() {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    if (guests_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto first = guests_.begin()->first;
    if (Clock::now() < first) {
      changed_.wait_until(lock, first);
      continue;
    }
    const auto late = take([now = Clock::now()](Clock::time_point deadline, const Guest&) { return deadline <= now; });
    lock.unlock();
    for (const Guest& guest : late) guest.resume(End::deadline);
    lock.lock();
  }
}

std::vector<WaitingRoom::Guest> WaitingRoom::take(const std::function<bool(Clock::time_point, const Guest&)>& leaves) {
  std::vector<Guest> out;
  for (auto it = guests_.begin(); it != guests_.end();) {
    if (leaves(it->first, it->second)) {
      out.push_back(std::move(it->second));
      it = guests_.erase(it);
    } else {
      ++it;
    }
  }
  return out;
}

}  // namespace rollcall::webhook
