#include "probe/log.h"

#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace rollcall::probe {
namespace {

/// Longest message: a Held message with its findings is under 8 KiB.
constexpr std::size_t kMaxMessage = 16 * 1024;

std::string stamp() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  ::gmtime_r(&now.tv_sec, &parts);
  char date[32] = {};
  ::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  const auto milliseconds = std::to_string(1000 + now.tv_nsec / 1'000'000).substr(1);  // always three digits
  return std::string(date) + "." + milliseconds + "Z  ";
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string clean(text.substr(0, limit));
  for (char& c : clean) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) c = ' ';
  }
  if (text.size() > limit) clean += " …";
  return clean;
}

void Log::line(std::string_view message) {
  std::string out = stamp();
  const std::size_t indent = out.size();
  for (const char c : printable(message, kMaxMessage)) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  out += '\n';
  const std::lock_guard lock(mutex_);
  std::string_view left = out;
  while (!left.empty()) {
    const auto written = ::write(fd_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // a log that cannot be written must not stop the roll call
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace rollcall::probe
