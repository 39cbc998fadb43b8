#include "probe/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "probe/net/address.h"
#include "probe/net/fd.h"
#include "probe/text.h"

namespace rollcall::probe {

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  // Non-blocking: a FIFO in a file's place must not hold the probe.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return Error{text("reading ", path, ": ", errno_words(errno)), errno_name(errno)};
  std::string content;
  char buffer[16384];
  while (true) {
    const auto got = ::read(fd.get(), buffer, sizeof buffer);
    if (got == 0) return content;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{text("reading ", path, ": ", errno_words(errno)), errno_name(errno)};
    content.append(buffer, static_cast<std::size_t>(got));
    if (content.size() > limit) return Error{text("reading ", path, ": larger than ", limit, " bytes"), "EFBIG"};
  }
}

Status write_file(const std::string& path, const std::string& content) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd.valid()) return Error{text("writing ", path, ": ", errno_words(errno)), errno_name(errno)};
  std::size_t written = 0;
  while (written < content.size()) {
    const auto put = ::write(fd.get(), content.data() + written, content.size() - written);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return Error{text("writing ", path, ": ", errno_words(errno)), errno_name(errno)};
    written += static_cast<std::size_t>(put);
  }
  return Done{};
}

}  // namespace rollcall::probe
