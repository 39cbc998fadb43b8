#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "child/nccl/nccl.h"

namespace rollcall::child {
namespace {

/// What is locked to see whether RDMA can register memory: more than the 8 MiB that container runtimes allow by
/// default, little enough for any container's memory limit.
constexpr std::size_t kTriedBytes = std::size_t{64} << 20;

bool can_lock() {
  void* memory = mmap(nullptr, kTriedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  const bool locked = mlock(memory, kTriedBytes) == 0;
  munmap(memory, kTriedBytes);  // unlocks it too
  return locked;
}

}  // namespace

void read_limits(roll_call::NcclFacts& facts) {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
    facts.memlock_bytes = limit.rlim_cur == RLIM_INFINITY ? -1 : static_cast<std::int64_t>(limit.rlim_cur);
  facts.memlock_tried = can_lock();
  // NCCL's cuMem allocations on the host ask for a NUMA policy; seccomp profiles that refuse the call answer EPERM.
  facts.numa_errno = syscall(SYS_get_mempolicy, nullptr, nullptr, 0UL, nullptr, 0UL) == 0 ? 0 : errno;
}

}  // namespace rollcall::child
