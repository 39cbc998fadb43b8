#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace rollcall::probe {

/// The probe's log: plain lines with a UTC time in front, for `kubectl logs POD -c rollcall`. Any thread.
class Log {
 public:
  explicit Log(int fd) : fd_(fd) {}

  /// Control characters are replaced; further lines of one message are indented under the first.
  void line(std::string_view message);

 private:
  std::mutex mutex_;
  int fd_;
};

/// `text` without control characters but newline, cut at `limit` bytes: what comes from elsewhere is shown, not obeyed.
std::string printable(std::string_view text, std::size_t limit);

}  // namespace rollcall::probe
