#pragma once

#include <chrono>

#include "probe/net/fd.h"

namespace rollcall::probe {

/// Wakes a thread that waits in poll(). notify() may be called from any thread and from a signal handler.
class Wake {
 public:
  Wake();

  void notify() const;
  /// Forgets notifications up to now.
  void drain() const;
  int fd() const { return fd_.get(); }
  /// True once notified (and not drained); never waits.
  bool notified() const;
  /// Waits for a notification for at most `limit`; true when notified.
  bool wait_for(std::chrono::milliseconds limit) const;

 private:
  Fd fd_;
};

}  // namespace rollcall::probe
