#include "probe/net/wake.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace rollcall::probe {

Wake::Wake() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

void Wake::notify() const {
  const int before = errno;  // a signal handler must leave errno as it was
  const std::uint64_t one = 1;
  // EAGAIN means the counter is full, that is: notified already.
  [[maybe_unused]] const auto written = ::write(fd_.get(), &one, sizeof one);
  errno = before;
}

void Wake::drain() const {
  std::uint64_t count = 0;
  // EAGAIN means there was nothing to forget.
  [[maybe_unused]] const auto read = ::read(fd_.get(), &count, sizeof count);
}

bool Wake::notified() const { return wait_for(std::chrono::milliseconds(0)); }

bool Wake::wait_for(std::chrono::milliseconds limit) const {
  pollfd p{fd_.get(), POLLIN, 0};
  const auto ms = std::clamp<std::int64_t>(limit.count(), 0, 3'600'000);
  return ::poll(&p, 1, static_cast<int>(ms)) > 0;
}

}  // namespace rollcall::probe
