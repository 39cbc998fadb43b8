#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace rollcall::desk {

/// Calls functions later, one at a time, on a thread of its own. They must be short; what may block goes to Workers.
class Timers {
 public:
  using Clock = std::chrono::steady_clock;

  Timers();
  ~Timers();  ///< what is still waiting is dropped; joins
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  /// Any thread. After stop() nothing is called.
  void at(Clock::time_point when, std::function<void()> act);
  void after(Clock::duration delay, std::function<void()> act) { at(Clock::now() + delay, std::move(act)); }
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Clock::time_point, std::function<void()>> waiting_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace rollcall::desk
