#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rollcall::desk {

/// Threads for work that waits on the API server, so that server threads never do.
class Workers {
 public:
  /// `most_waiting`: work beyond it is refused; its caller says "ask again".
  Workers(int threads, std::size_t most_waiting);
  ~Workers();  ///< work not begun is dropped; joins
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// False when too much waits or after stop(); `work` is then not called.
  bool post(std::function<void()> work);
  void stop();

 private:
  void run();

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace rollcall::desk
