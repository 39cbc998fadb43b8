#include "doubles/stuck/stuck_mount.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace rollcall::doubles {

StuckMount::StuckMount(const std::string& directory) : directory_(directory) {
  fd_ = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) {
    why_not_ = std::string("/dev/fuse: ") + std::strerror(errno);
    return;
  }
  const auto options = "fd=" + std::to_string(fd_) + ",rootmode=40000,user_id=0,group_id=0,allow_other";
  if (mount("rollcall-stuck", directory.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    why_not_ = "mounting " + directory + ": " + std::strerror(errno);
    close(fd_);
    fd_ = -1;
    return;
  }
  stop_ = eventfd(0, EFD_CLOEXEC);
  server_ = std::thread([this] { serve(); });
}

void StuckMount::serve() {
  std::vector<char> buffer(FUSE_MIN_READ_BUFFER + 4096);
  for (;;) {
    std::array<pollfd, 2> both{{{fd_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    if (poll(both.data(), both.size(), -1) < 0 && errno != EINTR) return;
    if (both[1].revents != 0) return;
    const auto count = read(fd_, buffer.data(), buffer.size());
    if (count < static_cast<ssize_t>(sizeof(fuse_in_header))) continue;
    fuse_in_header request{};
    std::memcpy(&request, buffer.data(), sizeof request);
    if (request.opcode != FUSE_INIT) {  // read, and never answered
      asked_ = true;
      continue;
    }
    struct {
      fuse_out_header header;
      fuse_init_out body;
    } answer{};
    answer.header.len = sizeof answer;
    answer.header.unique = request.unique;
    answer.body.major = FUSE_KERNEL_VERSION;
    answer.body.minor = FUSE_KERNEL_MINOR_VERSION;
    answer.body.max_write = 4096;
    if (write(fd_, &answer, sizeof answer) < 0) return;
  }
}

StuckMount::~StuckMount() {
  if (server_.joinable()) {
    const std::uint64_t one = 1;
    static_cast<void>(!write(stop_, &one, sizeof one));
    server_.join();
  }
  if (fd_ >= 0) {
    umount2(directory_.c_str(), MNT_DETACH);
    close(fd_);  // ends the connection: waiting processes go on
  }
  if (stop_ >= 0) close(stop_);
}

}  // namespace rollcall::doubles
