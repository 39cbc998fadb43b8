#pragma once

#include <atomic>
#include <string>
#include <thread>

/// A file system that never answers, so that a process which opens a file of it waits in the kernel and SIGKILL does
/// not end it: what a driver that hangs does. It is FUSE: a request that its server has read is waited for whatever
/// signal comes. Needs root and /dev/fuse.
namespace rollcall::doubles {

class StuckMount {
 public:
  /// Mounts at `directory`, which must exist; ok() says whether it could.
  explicit StuckMount(const std::string& directory);
  /// Lets everybody go, who then find the file missing, and unmounts.
  ~StuckMount();
  StuckMount(const StuckMount&) = delete;
  StuckMount& operator=(const StuckMount&) = delete;

  bool ok() const { return fd_ >= 0; }
  const std::string& why_not() const { return why_not_; }
  /// For the scenario's `stuck_file`.
  std::string file() const { return directory_ + "/never"; }
  /// Somebody waits for an answer, and SIGKILL will not end it.
  bool asked() const { return asked_; }

 private:
  void serve();
  std::string directory_, why_not_;
  int fd_ = -1;
  int stop_ = -1;
  std::atomic<bool> asked_{false};
  std::thread server_;
};

}  // namespace rollcall::doubles
