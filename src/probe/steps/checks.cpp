#include "probe/steps/checks.h"

#include <cerrno>
#include <utility>

#include "probe/children/child.h"
#include "probe/children/output.h"
#include "probe/children/unable.h"
#include "probe/deadline.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// What a check did, and what it printed.
struct Ran {
  roll_call::CheckResult result;
  Output out;
  Output err;
};

void run_check(const UserCheck& check, int percent, const Environment& environment, const Wake& cancel, Ran& ran) {
  auto& result = ran.result;
  result.name = check.name;
  const auto path = find_program(check.command.front(), environment);
  if (path.empty()) {
    result.error = text("the image has no program `", check.command.front(), "` in its PATH");
    return;
  }
  ProgramListener listener;
  listener.out = [&ran](std::string_view piece) { ran.out.take(piece); };
  listener.err = [&ran](std::string_view piece) { ran.err.take(piece); };
  const auto limit = scaled(check.deadline, percent);
  const auto end = run(Program{path, check.command, environment}, limit, cancel, listener);
  result.ran = end.how != End::How::NotStarted;
  result.seconds = end.seconds;
  result.output = ran.out.last_line();
  result.error = ran.err.last_line();
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
      result.error = "hangs " + stuck_words(end);
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

/// For whoever must find out why it failed: the end of what it printed, since the desk is told a line of each.
std::string printed_words(const Ran& ran) {
  const auto& result = ran.result;
  if (!result.ran || (result.exit_code == 0 && !result.timed_out)) return "";
  std::string words;
  for (const auto& [name, end] : {std::pair{"output", ran.out.end()}, std::pair{"error output", ran.err.end()}})
    if (!end.empty()) words += text(words.empty() ? "" : "\n", "the end of its ", name, ":\n", end);
  return words.empty() ? words : text("check ", result.name, ": ", words);
}

}  // namespace

void run_checks(const Settings& settings, JobImage& image, const Wake& cancel, Log& log,
                const std::function<void(const roll_call::ChecksState&)>& keep) {
  const auto environment = image.environment(cancel);
  if (!environment) return;
  roll_call::ChecksState state;
  for (const auto& check : settings.checks) {
    Ran ran;
    run_check(check, settings.deadline_percent, environment->variables, cancel, ran);
    if (cancel.notified()) return;
    log.line(words_for(ran.result));
    if (const auto printed = printed_words(ran); !printed.empty()) log.line(printed);
    state.checks.push_back(std::move(ran.result));
    keep(state);
  }
  if (settings.checks.empty()) log.line("checks: this job has none");
  state.done = true;
  keep(state);
}

}  // namespace rollcall::probe
