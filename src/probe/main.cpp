#include <signal.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "probe/children/leftovers.h"
#include "probe/children/setup.h"
#include "probe/facts/child.h"
#include "probe/facts/devices.h"
#include "probe/install.h"
#include "probe/log.h"
#include "probe/probe.h"
#include "probe/settings.h"

namespace {

using rollcall::probe::Settings;

using Arguments = std::vector<std::string_view>;

volatile int terminated_by = 0;
const rollcall::probe::Wake* news_of_handler = nullptr;

void on_signal(int signal) {
  terminated_by = signal;
  news_of_handler->notify();
}

int fail(const std::string& message) {
  std::fprintf(stderr, "rollcall-probe: %s\n", message.c_str());
  return 2;
}

int install(const Arguments& arguments) {
  if (arguments.size() != 1) return fail("install needs one argument, the directory to copy this program to");
  const auto done = rollcall::probe::install_all("/proc/self/exe", std::string(arguments[0]));
  return done ? 0 : (fail(done.error().message), 1);
}

/// --name=PATH options, for runs outside a pod.
bool take_path(std::string_view argument, std::string_view name, std::string& into) {
  if (argument.substr(0, name.size()) != name) return false;
  into = argument.substr(name.size());
  return true;
}

int answer(const Arguments& arguments) {
  auto settings = rollcall::probe::settings_from([](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
  if (!settings) return fail(settings.error().message);
  for (const auto argument : arguments) {
    if (!take_path(argument, "--token-file=", settings->token_file) &&
        !take_path(argument, "--annotations-file=", settings->annotations_file) &&
        !take_path(argument, "--termination-log=", settings->termination_log) &&
        !take_path(argument, "--bin-dir=", settings->bin_dir)) {
      return fail("answer does not take `" + std::string(argument) +
                  "`; it takes --token-file=, --annotations-file=, --termination-log= and --bin-dir=");
    }
  }
  rollcall::probe::Log log(STDOUT_FILENO);
  const rollcall::probe::Wake news;
  news_of_handler = &news;
  // The probe is process 1 of its container: without handlers SIGTERM would be ignored.
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : {SIGTERM, SIGINT}) ::sigaction(signal, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  // Ignored, as whoever started us may have left it, the kernel would reap our children before we learn how they ended.
  ::signal(SIGCHLD, SIG_DFL);
  const int status = rollcall::probe::answer_roll_call(*settings, log, news, terminated_by);
  for (const int signal : {SIGTERM, SIGINT}) ::signal(signal, SIG_DFL);
  return status;
}

int facts(const Arguments& arguments) {
  return arguments.empty() ? rollcall::probe::print_facts() : fail("facts takes no argument");
}

int devices(const Arguments& arguments) {
  return arguments.empty() ? rollcall::probe::print_devices() : fail("devices takes no argument");
}

int environment(const Arguments& arguments) {
  return arguments.empty() ? rollcall::probe::print_environment() : fail("environment takes no argument");
}

int shared_memory(const Arguments& arguments) {
  pid_t pid = 0;
  if (arguments.size() == 1) std::from_chars(arguments[0].data(), arguments[0].data() + arguments[0].size(), pid);
  return pid > 0 ? rollcall::probe::print_nccl_files(pid) : fail("shared-memory needs a process's number");
}

struct Verb {
  std::string_view name;
  int (*run)(const Arguments&);
  const char* says;
};
constexpr std::array<Verb, 6> kVerbs = {{
    {"install", install, "install DIR        copy this program, its child and a bundled libnccl to DIR"},
    {"answer", answer, "answer             answer the roll call; 0 = released, 1 = ended"},
    {"facts", facts, "facts              print what can be read of the image and its GPUs, as JSON lines"},
    {"devices", devices, "devices            print what files say of torch, NCCL and RDMA devices, as JSON lines"},
    {"environment", environment, "environment        print the environment, each variable ended by a zero byte"},
    {"shared-memory", shared_memory, "shared-memory PID  print the NCCL files in /dev/shm that a process holds"},
}};

}  // namespace

int main(int argc, char** argv) {
  const Arguments words(argv + 1, argv + argc);
  for (const auto& verb : kVerbs) {
    if (!words.empty() && words.front() == verb.name) return verb.run(Arguments(words.begin() + 1, words.end()));
  }
  std::fprintf(stderr, "usage: rollcall-probe VERB\n");
  for (const auto& verb : kVerbs) std::fprintf(stderr, "  %s\n", verb.says);
  return 2;
}
