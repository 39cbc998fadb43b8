#include "probe/steps/checks.h"

#include <cerrno>

#include "probe/children/child.h"
#include "probe/children/unable.h"
#include "probe/deadline.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// Of each output the end is kept; the last line is told.
constexpr std::size_t kKept = 8192;
constexpr std::size_t kLine = 240;

std::function<void(std::string_view)> keep_end(std::string& into) {
  return [&into](std::string_view piece) {
    into += piece;
    if (into.size() > 2 * kKept) into.erase(0, into.size() - kKept);
  };
}

roll_call::CheckResult run_check(const UserCheck& check, int percent, const Environment& environment,
                                 const Wake& cancel) {
  roll_call::CheckResult result;
  result.name = check.name;
  const auto path = find_program(check.command.front(), environment);
  if (path.empty()) {
    result.error = text("the image has no program `", check.command.front(), "` in its PATH");
    return result;
  }
  std::string out;
  std::string err;
  ProgramListener listener;
  listener.out = keep_end(out);
  listener.err = keep_end(err);
  const auto limit = scaled(check.deadline, percent);
  const auto end = run(Program{path, check.command, environment}, limit, cancel, listener);
  result.ran = end.how != End::How::NotStarted;
  result.seconds = end.seconds;
  result.output = last_line(out, kLine);
  result.error = last_line(err, kLine);
  switch (end.how) {
    case End::How::NotStarted:
      result.error = end.error == ENOENT ? text(path, " is not in the image, or the interpreter it names is not")
                                         : why_not_started(path, end.error);
      break;
    case End::How::Deadline:
      result.timed_out = true;
      break;
    case End::How::Stuck:
      result.timed_out = true;
      result.error = "hangs in a driver call that the kernel cannot interrupt; the node needs attention";
      break;
    case End::How::Signalled:
      result.exit_code = 128 + end.code;
      if (result.error.empty()) result.error = "ended by " + signal_name(end.code);
      break;
    case End::How::Cancelled:
    case End::How::Exited:
      result.exit_code = end.code;
      break;
  }
  return result;
}

std::string words_for(const roll_call::CheckResult& result) {
  auto line = text("check ", result.name, ": ");
  if (!result.ran) return line + "did not run: " + result.error;
  if (result.timed_out) {
    line += text("ended at its deadline after ", seconds_words(result.seconds));
  } else {
    line += text(result.exit_code == 0 ? "passed" : text("failed with status ", result.exit_code), " in ",
                 seconds_words(result.seconds));
  }
  if (!result.output.empty()) line += ", says `" + result.output + "`";
  if (!result.error.empty()) line += "; " + result.error;
  return line;
}

}  // namespace

void run_checks(const Settings& settings, JobImage& image, const Wake& cancel, Log& log,
                const std::function<void(const roll_call::ChecksState&)>& keep) {
  const auto environment = image.environment(cancel);
  if (!environment) return;
  roll_call::ChecksState state;
  for (const auto& check : settings.checks) {
    auto result = run_check(check, settings.deadline_percent, environment->variables, cancel);
    if (cancel.notified()) return;
    log.line(words_for(result));
    state.checks.push_back(std::move(result));
    keep(state);
  }
  if (settings.checks.empty()) log.line("checks: this job has none");
  state.done = true;
  keep(state);
}

}  // namespace rollcall::probe
