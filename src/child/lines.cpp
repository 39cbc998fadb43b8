#include "child/lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace rollcall::child {
namespace {

int& output() {
  static int fd = STDOUT_FILENO;
  return fd;
}

}  // namespace

void keep_standard_output() {
  const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (kept < 0) return;  // closed, or no descriptor left: lines go where they can
  if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) std::fputs("standard error is closed\n", stderr);
  output() = kept;
}

void step(std::string_view what) {
  roll_call::ChildLine line;
  line.step = what;
  say(line);
}

void say(const roll_call::ChildLine& line) {
  std::string text = roll_call::to_json(line);
  if (text.size() > roll_call::kMaxChildLine) {
    std::fprintf(stderr, "a line of %zu bytes is longer than the %zu that the probe reads; it is left out\n",
                 text.size(), roll_call::kMaxChildLine);
    return;
  }
  text += '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t wrote = write(output(), rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return;  // the parent is gone; nobody is left to be told
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

}  // namespace rollcall::child
