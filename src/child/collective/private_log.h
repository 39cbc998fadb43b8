#pragma once

#include <cstdint>

#include "child/nccl_log/nccl_log.h"

namespace rollcall::child {

/// NCCL's log, taken in this process's memory: no file that could stay behind or that a read-only image refuses, and a
/// NCCL_DEBUG_FILE of the user's is left alone. One thread.
class PrivateLog {
 public:
  /// Before libnccl is loaded: sets NCCL_DEBUG, NCCL_DEBUG_SUBSYS and NCCL_DEBUG_FILE of this process. Where the kernel
  /// has no memfd (before 3.17) there is no log, and what it would have told stays unknown.
  PrivateLog();
  ~PrivateLog();
  PrivateLog(const PrivateLog&) = delete;
  PrivateLog& operator=(const PrivateLog&) = delete;

  /// Reads what came since.
  const NcclLog& look();

 private:
  int fd_ = -1;
  std::int64_t read_ = 0;
  NcclLog log_;
};

}  // namespace rollcall::child
