#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace rollcall::probe::testing {

/// A program run by a test; its stdout and stderr are kept. Killed when it goes out of scope.
class Process {
 public:
  /// `arguments[0]` is the program; `environment` is all it has.
  Process(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// The exit status (128 + signal when killed), or nullopt when it did not end within `limit`.
  std::optional<int> wait(std::chrono::milliseconds limit);
  void signal(int number);
  std::string output() const;
  pid_t pid() const { return pid_; }
  /// True once the output holds `text`; false when it did not come within `limit`.
  bool prints(const std::string& text, std::chrono::milliseconds limit) const;

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
  mutable std::mutex mutex_;
  std::string output_;
  std::thread reader_;
};

/// A directory of its own, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  std::string path() const { return path_; }
  /// Writes a file below it, making directories on the way; returns its path.
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

/// Asks `condition` until it holds; false when it did not within `limit`.
template <typename Condition>
bool eventually(const Condition& condition, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace rollcall::probe::testing
