#include "cli/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace rollcall::cli {
namespace {

namespace fs = std::filesystem;

Error failed(const std::string& file, int number) {
  return Error{file + ": cannot be written: " + std::generic_category().message(number)};
}

/// Closes at the end; close() says first whether all reached the kernel.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int number() const { return number_; }
  bool close() {
    const int number = number_;
    number_ = -1;
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

bool write_all(int number, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(number, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Status write_into(const std::string& file, std::string_view text) {
  Descriptor out(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (out.number() < 0 || !write_all(out.number(), text) || !out.close()) return failed(file, errno);
  return Done{};
}

Status replace(const std::string& file, std::string_view text, mode_t mode) {
  std::string beside = file + ".XXXXXX";
  Descriptor out(::mkostemp(beside.data(), O_CLOEXEC));
  if (out.number() < 0) return failed(file, errno);
  // On disk before it takes the name: a power cut leaves the former text or this one.
  const bool good = write_all(out.number(), text) && ::fchmod(out.number(), mode) == 0 && ::fsync(out.number()) == 0 &&
                    out.close() && ::rename(beside.c_str(), file.c_str()) == 0;
  if (good) return Done{};
  const int number = errno;
  ::unlink(beside.c_str());
  return failed(file, number);
}

}  // namespace

Status write_file(const std::string& file, std::string_view text) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(file, error);
  const std::string target = error ? file : real.string();
  struct stat now {};
  if (::stat(target.c_str(), &now) != 0) {
    const mode_t masked = ::umask(0);
    ::umask(masked);
    return replace(target, text, 0666 & ~masked);
  }
  if (S_ISDIR(now.st_mode)) return failed(file, EISDIR);
  if (!S_ISREG(now.st_mode)) return write_into(file, text);
  return replace(target, text, now.st_mode & 07777);
}

}  // namespace rollcall::cli
