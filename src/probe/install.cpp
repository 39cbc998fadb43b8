#include "probe/install.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "api/names.h"
#include "probe/net/address.h"
#include "probe/net/fd.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

Status copy(const Fd& from, const Fd& to, const std::string& path) {
  char buffer[65536];
  while (true) {
    const auto got = ::read(from.get(), buffer, sizeof buffer);
    if (got == 0) break;
    if (got < 0) return Error{text("reading what becomes ", path, ": ", errno_words(errno))};
    for (ssize_t done = 0; done < got;) {
      const auto put = ::write(to.get(), buffer + done, static_cast<std::size_t>(got - done));
      if (put < 0)
        return Error{text("writing ", path, ": ", errno_words(errno),
                          "; the volume rollcall-bin needs room for the probe's programs")};
      done += put;
    }
  }
  // fchmod, since the mode given to open is cut by the umask, and the trainer may run as another uid than the
  // installer.
  if (::fchmod(to.get(), 0755) != 0) return Error{text("making ", path, " executable: ", errno_words(errno))};
  if (::fsync(to.get()) != 0) return Error{text("writing ", path, ": ", errno_words(errno))};
  return Done{};
}

}  // namespace

Status install(const std::string& source, const std::string& directory, const std::string& name) {
  const std::string path = directory + "/" + name;
  const std::string unfinished = text(path, ".", ::getpid());
  const Fd from(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from.valid()) return Error{text("opening ", source, ": ", errno_words(errno))};
  Fd to(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700));
  if (!to.valid()) {
    return Error{text("creating ", unfinished, ": ", errno_words(errno), "; ", directory,
                      " must be a writable directory (the volume rollcall-bin)")};
  }
  auto copied = copy(from, to, unfinished);
  to.reset();  // a program still open for writing cannot be run (ETXTBSY)
  if (copied && ::rename(unfinished.c_str(), path.c_str()) != 0) {
    copied = Error{text("renaming ", unfinished, " to ", path, ": ", errno_words(errno))};
  }
  if (!copied) ::unlink(unfinished.c_str());
  return copied;
}

Status install_all(const std::string& self, const std::string& directory) {
  // The child first: a probe that stands in its place finds it there.
  char target[4096] = {};
  const auto size = ::readlink(self.c_str(), target, sizeof target - 1);
  const std::string program = size > 0 ? std::string(target, static_cast<std::size_t>(size)) : self;
  const auto own = program.substr(0, program.find_last_of('/') + 1);
  for (const char* name : {api::names::kChildProgram, api::names::kBundledNccl}) {
    if (::access((own + name).c_str(), F_OK) != 0) continue;
    if (auto done = install(own + name, directory, name); !done) return done;
  }
  return install(self, directory, "rollcall-probe");
}

}  // namespace rollcall::probe
