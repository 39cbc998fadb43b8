#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace rollcall::kube {

/// Told what a queue does, for metrics; called under its lock, must not block nor call it. Seconds.
struct QueueHooks {
  std::function<void()> added = {};               ///< a key that did not wait already
  std::function<void(double waited)> taken = {};  ///< since it was added, or since its delay was over
  std::function<void(double worked)> done = {};
  std::function<void()> retried = {};  ///< backing off
};
/// What is under way.
struct QueueFigures {
  std::size_t depth = 0;          ///< keys that wait for a worker; not those that wait for their time
  double unfinished_seconds = 0;  ///< of all work under way, together
  double longest_seconds = 0;     ///< of the oldest of it
};

/// A queue of keys: a key waits at most once, is worked on by one worker at a time, and comes back after its work if it
/// was added meanwhile. Failures back off from 5 ms, doubled, to 5 min a key. All calls from any thread.
class WorkQueue {
 public:
  explicit WorkQueue(QueueHooks hooks = {});
  ~WorkQueue();

  void add(const std::string& key);
  void add_after(const std::string& key, std::chrono::milliseconds delay);
  /// After a failure: again later, longer each time.
  void add_backing_off(const std::string& key);
  void forget(const std::string& key);  ///< the last work succeeded: back-off starts anew
  /// Blocks; nullopt after shut_down().
  std::optional<std::string> take();
  void done(const std::string& key);
  void shut_down();
  std::size_t size() const;  ///< keys that wait, delayed ones included
  QueueFigures figures() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::kube
