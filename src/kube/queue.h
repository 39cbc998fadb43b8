#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace rollcall::kube {

/// A queue of keys: a key waits at most once, is worked on by one worker at a time, and comes back after its work if it
/// was added meanwhile. Failures back off from 5 ms, doubled, to 5 min a key. All calls from any thread.
class WorkQueue {
 public:
  WorkQueue();
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
  std::size_t size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::kube
