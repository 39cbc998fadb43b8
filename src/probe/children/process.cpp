#include "probe/children/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "probe/net/fd.h"

namespace rollcall::probe {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Most that is read of one pipe at a time, and the most that a pipe holds (/proc/sys/fs/pipe-max-size): a program that
/// writes without end must not keep its reader from looking at the clock, and what one had written when it ended is
/// read in one go.
constexpr std::size_t kMostAtOnce = 1U << 20;

/// How long one wait in poll() is at most: an end is noticed this late when something else keeps its output open.
constexpr milliseconds kTick{50};

struct Pipe {
  Fd read;
  Fd write;
  Pipe() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    read.reset(ends[0]);
    write.reset(ends[1]);
    ::fcntl(read.get(), F_SETFL, O_NONBLOCK);
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// errno's number, or 0 and `pid`.
int spawn(const Program& program, int out, int err, pid_t& pid) {
  std::vector<std::string> arguments = program.arguments;
  std::vector<std::string> variables;
  for (const auto& [name, value] : program.environment) variables.push_back(name + "=" + value);
  const auto argv = pointers(arguments);
  const auto envp = pointers(variables);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // The probe ignores SIGPIPE, which a program would inherit.
  sigset_t defaults;
  ::sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGTERM, SIGINT}) ::sigaddset(&defaults, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawn(&pid, program.path.c_str(), &actions, &attributes, argv.data(), envp.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// Once it has ended: ends what is left of its group, then reaps it. The order matters: until it is reaped no other
/// group can have its number.
std::optional<int> reaped(pid_t pid) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid)
    return std::nullopt;
  ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::optional<int> reaped_within(pid_t pid, milliseconds limit) {
  const auto until = Clock::now() + limit;
  while (true) {
    if (const auto status = reaped(pid)) return status;
    if (Clock::now() >= until) return std::nullopt;
    ::poll(nullptr, 0, 2);
  }
}

/// Hands on what can be read now, up to kMostAtOnce; closes at the end of file.
void drain(Fd& fd, const std::function<void(std::string_view)>& listener) {
  char buffer[16384];
  for (std::size_t read = 0; fd.valid() && read < kMostAtOnce;) {
    const auto got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return fd.reset();
    read += static_cast<std::size_t>(got);
    if (listener) listener({buffer, static_cast<std::size_t>(got)});
  }
}

/// The program and its group, which it may have left. False when the kernel does not permit it, as of a program that
/// runs as another user (sudo).
bool kill_all(pid_t pid) {
  ::kill(-pid, SIGKILL);
  return ::kill(pid, SIGKILL) == 0 || errno != EPERM;
}

}  // namespace

End run(const Program& program, milliseconds limit, const Wake& cancel, const ProgramListener& listener) {
  End end;
  Pipe out;
  Pipe err;
  if (!out.write.valid() || !err.write.valid()) {
    end.error = errno;
    return end;
  }
  pid_t pid = 0;
  const auto begun = Clock::now();
  end.error = spawn(program, out.write.get(), err.write.get(), pid);
  out.write.reset();
  err.write.reset();
  if (end.error != 0) return end;

  auto until = begun + limit;
  bool told = false;
  std::optional<int> status;
  bool cancelled = false;
  while (!status) {
    const auto now = Clock::now();
    if (now >= until) {
      if (told || end.extended || !listener.advances || !listener.advances()) break;
      end.extended = true;
      until += limit;
      continue;
    }
    const bool open = out.read.valid() || err.read.valid();
    // When both ends are closed it is about to end.
    const auto wait = std::min(open ? kTick : milliseconds(2), std::chrono::ceil<milliseconds>(until - now));
    pollfd polled[3] = {
        {cancel.fd(), POLLIN, 0}, {out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}};  // -1 is passed over
    ::poll(polled, 3, static_cast<int>(wait.count()));
    if (cancel.notified()) {
      cancelled = true;
      break;
    }
    status = reaped(pid);  // before reading, so that nothing it wrote is missed
    drain(out.read, listener.out);
    drain(err.read, listener.err);
    if (!told && listener.told && listener.told()) {
      told = true;
      until = std::min(until, Clock::now() + kEndGrace);
    }
  }
  if (!status) {
    if (listener.before_kill) listener.before_kill(pid);
    end.refused = !kill_all(pid);
    const bool ended = !end.refused && reaped_within(pid, kKillDeadline).has_value();
    drain(out.read, listener.out);
    drain(err.read, listener.err);
    end.how = !ended ? End::How::Stuck : cancelled ? End::How::Cancelled : End::How::Deadline;
  } else if (WIFSIGNALED(*status)) {
    end.how = End::How::Signalled;
    end.code = WTERMSIG(*status);
  } else {
    end.how = End::How::Exited;
    end.code = WEXITSTATUS(*status);
  }
  end.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  return end;
}

std::string find_program(const std::string& name, const Environment& environment) {
  if (name.find('/') != std::string::npos) return name;
  const auto path = environment.find("PATH");
  std::string_view directories =
      path == environment.end() ? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" : path->second;
  while (!directories.empty()) {
    const auto end = std::min(directories.find(':'), directories.size());
    const std::string candidate = std::string(directories.substr(0, end)) + "/" + name;
    struct stat status {};
    if (::stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    directories.remove_prefix(std::min(end + 1, directories.size()));
  }
  return "";
}

Environment own_environment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const auto equals = variable.find('=');
    if (equals != std::string_view::npos && equals > 0)
      environment.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return environment;
}

}  // namespace rollcall::probe
