#include "probe/children/setup.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "probe/children/child.h"
#include "probe/children/unable.h"
#include "probe/deadline.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// A fabric's profile sets variables; one that waits longer than this waits for something that will not come.
constexpr std::chrono::seconds kSetupDeadline{30};
/// Linux gives a new program at most 2 MiB of arguments and environment with the usual stack limit.
constexpr std::size_t kMaxEnvironment = 2U << 20;
constexpr std::size_t kKeptErrors = 4096;
constexpr std::size_t kErrorLine = 160;

/// Printed before the variables: a shell's own start (BASH_ENV) and what the setup left running may print as well.
constexpr std::string_view kMark{"\0rollcall-environment\0", 22};

/// Standard output is kept for the environment alone; what the setup prints there goes to standard error.
std::string script_of(const std::string& setup) {
  return "exec 9>&1 1>&2\n" + setup + "\nexec \"$0\" environment 1>&9\n";
}

Environment environment_from(std::string_view printed) {
  Environment variables;
  const auto mark = printed.rfind(kMark);
  if (mark == std::string_view::npos) return variables;
  printed.remove_prefix(mark + kMark.size());
  while (!printed.empty()) {
    const auto end = printed.find('\0');
    const auto variable = printed.substr(0, end);
    const auto equals = variable.find('=');
    // The shell's own word for what it runs.
    if (equals != std::string_view::npos && equals > 0 && variable.substr(0, equals) != "_")
      variables.emplace(variable.substr(0, equals), variable.substr(equals + 1));
    if (end == std::string_view::npos) break;
    printed.remove_prefix(end + 1);
  }
  return variables;
}

std::string shell_of(const Environment& variables) {
  for (const char* name : {"bash", "sh"}) {
    for (const auto& path : {text("/bin/", name), find_program(name, variables)}) {
      if (!path.empty() && ::access(path.c_str(), X_OK) == 0) return path;
    }
  }
  return "";
}

/// Empty, or why there is no environment after the setup.
std::string run_setup(const Settings& settings, const std::string& self, const Wake& cancel, Environment& variables) {
  const auto shell = shell_of(variables);
  if (shell.empty()) return "the image has no shell to run it with";
  std::string printed;
  std::string errors;
  ProgramListener listener;
  listener.out = [&](std::string_view piece) {
    if (printed.size() <= kMaxEnvironment) printed += piece;
  };
  listener.err = [&](std::string_view piece) {
    errors += piece;
    if (errors.size() > 2 * kKeptErrors) errors.erase(0, errors.size() - kKeptErrors);
  };
  const auto limit = scaled(kSetupDeadline, settings.deadline_percent);
  const auto end =
      run(Program{shell, {shell, "-c", script_of(settings.setup), self}, variables}, limit, cancel, listener);
  const auto words = last_line(errors, kErrorLine);
  const auto last = words.empty() ? std::string() : ": " + words;
  switch (end.how) {
    case End::How::NotStarted:
      return why_not_started(shell, end.error);
    case End::How::Cancelled:
      return "it was ended, since its result is no longer wanted";
    case End::How::Deadline:
    case End::How::Stuck:
      return text("it had not ended after ", limit.count() / 1000, " s", last);
    case End::How::Signalled:
      return text("it was ended by ", signal_name(end.code), last);
    case End::How::Exited:
      break;
  }
  if (end.code != 0) return text("it ended with status ", end.code, last);
  if (printed.size() > kMaxEnvironment) return text("its environment is larger than ", kMaxEnvironment, " bytes");
  auto after = environment_from(printed);
  if (after.empty()) return text("it ended the shell before its own end (`exit`?)", last);
  variables = std::move(after);
  return "";
}

}  // namespace

JobEnvironment job_environment(const Settings& settings, const Environment& container, const std::string& self,
                               const Wake& cancel) {
  JobEnvironment job{container, settings.fidelity, ""};
  for (const auto& [name, value] : settings.exports) job.variables[name] = value;
  if (settings.setup.empty()) return job;
  job.trouble = run_setup(settings, self, cancel, job.variables);
  if (!job.trouble.empty()) {
    const auto why = text("rollCall.setup failed, ", job.trouble);
    job.fidelity = job.fidelity.empty() ? "partial: " + why : text(job.fidelity, "; ", why);
  }
  return job;
}

int print_environment() {
  if (std::fwrite(kMark.data(), 1, kMark.size(), stdout) != kMark.size()) return 1;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const auto size = std::strlen(*entry) + 1;
    if (std::fwrite(*entry, 1, size, stdout) != size) return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace rollcall::probe
