#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rollcall::webhook {

/// Reviews that wait until the watch shows their namespace: a job can be applied in the same breath as its namespace.
/// One thread of its own, for deadlines.
class WaitingRoom {
 public:
  using Clock = std::chrono::steady_clock;
  enum class End { came, deadline, closed };
  using Resume = std::function<void(End)>;

  /// Reviews that wait at one time. Each holds its object of up to a few hundred KB; more than this is no burst of new
  /// namespaces but a watch that is stuck.
  static constexpr std::size_t kMost = 500;

  WaitingRoom();
  ~WaitingRoom();
  WaitingRoom(const WaitingRoom&) = delete;
  WaitingRoom& operator=(const WaitingRoom&) = delete;

  /// `resume` is called once, on whichever thread brings the end. False, and it is not called: the room is full or
  /// closed. `known` is asked with the room locked, so that an arrival between the caller's look and this call is not
  /// missed; when it says true, resume is called at once with `came`.
  bool wait(const std::string& ns, Clock::time_point deadline, const std::function<bool()>& known, Resume resume);
  void came(const std::string& ns);
  /// Ends every wait and takes no more.
  void close();
  std::size_t waiting() const;

 private:
  struct Guest {
    std::string ns;
    Resume resume;
  };
  void run();
  std::vector<Guest> take(const std::function<bool(Clock::time_point, const Guest&)>& leaves);  ///< mutex_ held

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Clock::time_point, Guest> guests_;  ///< by deadline
  bool closed_ = false;
  std::thread thread_;  ///< last: starts when the rest is made
};

}  // namespace rollcall::webhook
