#include "child/collective/private_log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace rollcall::child {
namespace {

// More than a node of 8 GPUs writes at INFO in a minute (some 300 KB); a log that goes round in circles ends here.
constexpr std::int64_t kMostBytes = 8 << 20;
constexpr unsigned kCloseOnExec = 1;  // MFD_CLOEXEC; glibc 2.17 has no name for it

}  // namespace

PrivateLog::PrivateLog() {
  fd_ = static_cast<int>(syscall(SYS_memfd_create, "rollcall-nccl-log", kCloseOnExec));
  if (fd_ < 0) return;
  setenv("NCCL_DEBUG", "INFO", 1);
  setenv("NCCL_DEBUG_SUBSYS", "INIT,NET,GRAPH,ENV,BOOTSTRAP", 1);
  // No % in it, which NCCL would expand.
  setenv("NCCL_DEBUG_FILE", ("/proc/self/fd/" + std::to_string(fd_)).c_str(), 1);
}

PrivateLog::~PrivateLog() {
  if (fd_ >= 0) close(fd_);
}

const NcclLog& PrivateLog::look() {
  std::array<char, 16384> buffer{};
  while (fd_ >= 0 && read_ < kMostBytes) {
    // NCCL opens the file anew and keeps its own position.
    const auto count = pread(fd_, buffer.data(), buffer.size(), read_);
    if (count <= 0) break;
    log_.read(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    read_ += count;
  }
  return log_;
}

}  // namespace rollcall::child
