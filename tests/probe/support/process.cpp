#include "probe/support/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace rollcall::probe::testing {

Process::Process(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  std::vector<std::string> words = arguments;
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  std::vector<char*> argv;
  std::vector<char*> envp;
  for (auto& word : words) argv.push_back(word.data());
  for (auto& variable : variables) envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const int error = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) throw std::runtime_error("cannot run " + arguments[0]);
  reader_ = std::thread([this, fd = ends[0]] {
    char buffer[4096];
    ssize_t got = 0;
    while ((got = ::read(fd, buffer, sizeof buffer)) > 0) {
      const std::lock_guard lock(mutex_);
      output_.append(buffer, static_cast<std::size_t>(got));
    }
    ::close(fd);
  });
}

Process::~Process() {
  if (!status_) {
    ::kill(pid_, SIGKILL);
    wait(std::chrono::seconds(10));
  }
  if (reader_.joinable()) reader_.join();
}

std::optional<int> Process::wait(std::chrono::milliseconds limit) {
  eventually(
      [&] {
        if (status_) return true;
        int raw = 0;
        if (::waitpid(pid_, &raw, WNOHANG) != pid_) return false;
        status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
        return true;
      },
      limit);
  if (status_ && reader_.joinable()) reader_.join();  // so that output() is whole
  return status_;
}

void Process::signal(int number) { ::kill(pid_, number); }

std::string Process::output() const {
  const std::lock_guard lock(mutex_);
  return output_;
}

bool Process::prints(const std::string& text, std::chrono::milliseconds limit) const {
  return eventually([&] { return output().find(text) != std::string::npos; }, limit);
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "rollcall-probe-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;  // a test's leftovers in the temporary directory fail nothing
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(const std::string& name, const std::string& content) const {
  const auto path = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(path.parent_path());
  // By rename, as the kubelet does: a reader never sees half a file.
  const auto unfinished = path.string() + ".new";
  std::ofstream(unfinished, std::ios::binary) << content;
  std::filesystem::rename(unfinished, path);
  return path.string();
}

}  // namespace rollcall::probe::testing
