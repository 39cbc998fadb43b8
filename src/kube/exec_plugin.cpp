#include "kube/exec_plugin.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT: kill() is POSIX's
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>

extern char** environ;  // NOLINT: POSIX's

namespace rollcall::kube {
namespace {

using Clock = std::chrono::steady_clock;

/// A credential is a few kilobytes.
constexpr std::size_t kMaxOutput = std::size_t{1} << 20;

std::string words_of(int number) { return std::generic_category().message(number); }

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(-1); }
  int number() const { return number_; }
  void reset(int number) {
    if (number_ >= 0) ::close(number_);
    number_ = number;
  }

 private:
  int number_;
};

/// As a person would type it.
std::string command_line(const ExecPlugin& plugin) {
  std::string out;
  const auto add = [&out](const std::string& word) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                            "-_./:=@%+,") == std::string::npos;
    out += out.empty() ? "" : " ";
    if (plain) {
      out += word;
      return;
    }
    out += "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += "'";
  };
  add(plugin.command);
  for (const std::string& arg : plugin.args) add(arg);
  return out;
}

std::vector<std::string> environment_of(const ExecPlugin& plugin, bool interactive) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string::npos) all[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : plugin.env) all[name] = value;
  nlohmann::json info = {
      {"kind", "ExecCredential"}, {"apiVersion", plugin.api_version}, {"spec", {{"interactive", interactive}}}};
  if (plugin.cluster) info["spec"]["cluster"] = *plugin.cluster;
  all["KUBERNETES_EXEC_INFO"] = info.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::vector<std::string> out;
  for (const auto& [name, value] : all) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

/// What posix_spawn needs, given back at the end.
struct Spawn {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  Spawn() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

/// A child that is ended and waited for whatever happens.
class Child {
 public:
  /// `alone`: it leads a group of its own, which is killed with it. One that may ask on a terminal must stay in ours.
  Child(pid_t pid, bool alone) : pid_(pid), alone_(alone) {
    watch_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (!waited_) kill_and_wait();
  }
  int watch() const { return watch_.number(); }
  void kill_and_wait() {
    ::kill(alone_ ? -pid_ : pid_, SIGKILL);
    wait();
  }
  int wait() {
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    waited_ = true;
    return status_;
  }

 private:
  pid_t pid_;
  bool alone_;
  bool waited_ = false;
  int status_ = 0;
  Descriptor watch_;
};

/// Reads what there is; whether more may come.
bool drain(int from, std::string& output) {
  char block[16 << 10];
  for (;;) {
    const ssize_t count = ::read(from, block, sizeof block);
    if (count > 0) output.append(block, static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if ((count < 0 && errno == EAGAIN) || output.size() > kMaxOutput) return true;
  }
}

/// Until the child has ended. What it left running may hold the pipe open; nobody waits for that.
Status read_until_end(Child& child, int from, std::chrono::milliseconds deadline, std::string& output) {
  const auto end = Clock::now() + deadline;
  bool open = true;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return Error{"it did not end within " + duration_words(deadline) + " and was killed"};
    pollfd wanted[2] = {{child.watch(), POLLIN, 0}, {open ? from : -1, POLLIN, 0}};
    const int ready = ::poll(wanted, 2, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return Error{"it could not be waited for: " + words_of(errno)};
    if (ready <= 0) continue;
    const bool ended = wanted[0].revents != 0;
    if (open && (ended || wanted[1].revents != 0)) open = drain(from, output);
    if (output.size() > kMaxOutput) return Error{"it printed more than 1 MiB"};
    if (ended) return Done{};
  }
}

Result<std::string> output_of(const ExecPlugin& plugin, bool interactive, std::chrono::milliseconds deadline) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{"no pipe could be made: " + words_of(errno)};
  Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  ::fcntl(from.number(), F_SETFL, O_NONBLOCK);
  Spawn spawn;
  posix_spawn_file_actions_adddup2(&spawn.actions, to.number(), STDOUT_FILENO);
  if (!interactive) {
    posix_spawn_file_actions_addopen(&spawn.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawnattr_setflags(&spawn.attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&spawn.attributes, 0);
  }
  std::vector<std::string> words{plugin.command};
  words.insert(words.end(), plugin.args.begin(), plugin.args.end());
  std::vector<std::string> environment = environment_of(plugin, interactive);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, plugin.command.c_str(), &spawn.actions, &spawn.attributes,
                                  pointers(words).data(), pointers(environment).data());
  if (failed == ENOENT)
    return Error{"there is no such program" + (plugin.install_hint.empty() ? "" : ". " + plugin.install_hint)};
  if (failed != 0) return Error{"it could not be started: " + words_of(failed)};
  to.reset(-1);
  Child child(pid, !interactive);
  std::string output;
  if (Status status = read_until_end(child, from.number(), deadline, output); !status.ok()) {
    child.kill_and_wait();
    return status.error();
  }
  const int status = child.wait();
  if (WIFSIGNALED(status)) return Error{"it was ended by signal " + std::to_string(WTERMSIG(status))};
  if (WEXITSTATUS(status) != 0) return Error{"it ended with exit code " + std::to_string(WEXITSTATUS(status))};
  return output;
}

}  // namespace

Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin, std::chrono::milliseconds deadline) {
  const std::string line = command_line(plugin);
  const auto in_words = [&](const Error& error) {
    return Error{"the user's credentials come from the program `" + plugin.command + "`: " + error.message +
                 ". Run it yourself to see more: " + line};
  };
  const bool terminal = ::isatty(STDIN_FILENO) == 1;
  if (plugin.interactive_mode == "Always" && !terminal)
    return in_words(Error{"it must ask on a terminal (interactiveMode: Always), and standard input is none"});
  const auto output = output_of(plugin, terminal && plugin.interactive_mode != "Never", deadline);
  if (!output.ok()) return in_words(output.error());
  const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  auto credential = exec_credential_from(*output, plugin.api_version, now);
  if (!credential.ok()) return in_words(credential.error());
  return credential;
}

}  // namespace rollcall::kube
