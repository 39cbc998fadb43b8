#include "probe/children/unable.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "probe/log.h"
#include "probe/net/address.h"
#include "probe/net/fd.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// The loader a program asks for (PT_INTERP), or empty.
std::string loader_of(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  Elf64_Ehdr header{};
  if (!fd.valid() || ::pread(fd.get(), &header, sizeof header, 0) != sizeof header ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "";
  constexpr int kMaxSegments = 64;  // our own program has about ten
  for (int i = 0; i < std::min<int>(header.e_phnum, kMaxSegments); ++i) {
    Elf64_Phdr segment{};
    const auto at = static_cast<off_t>(header.e_phoff) + i * static_cast<off_t>(sizeof segment);
    if (::pread(fd.get(), &segment, sizeof segment, at) != sizeof segment) return "";
    if (segment.p_type != PT_INTERP) continue;
    char name[256] = {};
    const auto size = std::min<std::size_t>(segment.p_filesz, sizeof name - 1);
    if (::pread(fd.get(), name, size, static_cast<off_t>(segment.p_offset)) <= 0) return "";
    return name;
  }
  return "";
}

bool mounted_noexec(const std::string& path) {
  struct statvfs status {};
  return ::statvfs(path.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) != 0;
}

}  // namespace

std::string why_not_started(const std::string& path, int error) {
  const bool there = ::access(path.c_str(), F_OK) == 0;
  if (error == ENOENT && there) {
    const auto loader = loader_of(path);
    return text("this image has no glibc", loader.empty() ? "" : " (no " + loader + ")",
                ", which NVIDIA's libraries and ", path, " need; a musl or empty image cannot use them");
  }
  if (error == ENOENT) return text(path, " is not there: the probe image that installed this probe has none");
  if (error == ENOEXEC || error == ELIBBAD || error == EINVAL)
    return text(path, " is built for another architecture than this node's, or damaged: ", errno_words(error));
  if (error == EACCES && mounted_noexec(path))
    return text(path, " lies on a volume that is mounted noexec, so it cannot be run");
  if (error == EACCES)
    return text(path, " may not be run by user ", ::geteuid(),
                ": it lacks the execute permission, or a security profile (AppArmor, SELinux) forbids it");
  if (error == EPERM)
    return text(path, " may not be run: a security profile of the container (seccomp, AppArmor, SELinux) forbids it");
  if (error == EAGAIN || error == ENOMEM)
    return text("no process could be made for ", path, ": ", errno_words(error),
                "; raise the pod's pids or memory limit");
  if (error == EMFILE || error == ENFILE)
    return text("no pipe could be made for ", path, ": ", errno_words(error), "; raise the limit of open files");
  if (error == E2BIG)
    return text("the environment is too large to start ", path, " with: ", errno_words(error),
                "; look for a variable above 128 KiB in the container's env and rollCall.setup");
  return text(path, " cannot be run: ", errno_words(error));
}

std::string why_not_loaded(const End& end, std::string_view standard_error) {
  if (end.how != End::How::Exited || (end.code != 127 && end.code != 1)) return "";
  const auto says = [&](std::string_view words) { return standard_error.find(words) != std::string_view::npos; };
  constexpr std::size_t kWords = 160;
  if (says("version `GLIBC_") && says("not found"))
    return "this image's glibc is older than 2.17: " + last_line(standard_error, kWords);
  if (end.code == 127 && (says("error while loading shared libraries") || says("symbol lookup error") ||
                          says("rror relocating") || says("rror loading shared library")))
    return "this image's loader could not start the program: " + last_line(standard_error, kWords);
  return "";
}

std::string last_line(std::string_view text, std::size_t limit) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const auto newline = text.find_last_of("\r\n");
  if (newline != std::string_view::npos) text.remove_prefix(newline + 1);
  return printable(text, limit);
}

}  // namespace rollcall::probe
