#include "probe/children/child.h"

#include <array>
#include <cmath>
#include <csignal>

#include "probe/children/unable.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

using Clock = std::chrono::steady_clock;

/// Of standard error the end is kept: NCCL's warnings are one line each, a crash of the runtime a dozen.
constexpr std::size_t kKeptErrors = 4096;
constexpr std::size_t kErrorLine = 240;

std::string name_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// Cuts what comes into lines and keeps what they say.
class Lines {
 public:
  Lines(const ChildOrder& order, ChildReport& report) : order_(order), report_(report), step_from_(Clock::now()) {}

  void out(std::string_view piece) {
    while (!piece.empty()) {
      const auto newline = piece.find('\n');
      const auto part = piece.substr(0, newline);
      if (line_.size() + part.size() > roll_call::kMaxChildLine) {
        too_long_ = true;
        line_.clear();
      } else if (!too_long_) {
        line_ += part;
      }
      if (newline == std::string_view::npos) return;
      end_line();
      piece.remove_prefix(newline + 1);
    }
  }

  void err(std::string_view piece) {
    errors_ += piece;
    if (errors_.size() > 2 * kKeptErrors) errors_.erase(0, errors_.size() - kKeptErrors);
  }

  /// Facts come in several lines, each fuller than the one before, so only a rank's result is known to be the last.
  bool told() const { return report_.rank_told(); }
  const std::string& errors() const { return errors_; }
  const std::string& unreadable() const { return unreadable_; }
  int lines() const { return count_; }
  Clock::time_point step_from() const { return step_from_; }

 private:
  void end_line() {
    if (too_long_) {
      if (unreadable_.empty()) unreadable_ = text("a line longer than ", roll_call::kMaxChildLine, " bytes");
    } else if (auto line = roll_call::child_line_from(line_)) {
      ++count_;
      take(std::move(*line));
    } else if (unreadable_.empty()) {
      unreadable_ = line.error().message;
    }
    too_long_ = false;
    line_.clear();
  }

  void take(roll_call::ChildLine line) {
    if (!line.step.empty() && line.step != report_.step) {
      report_.step = line.step;
      step_from_ = Clock::now();
    }
    report_.simulated = report_.simulated || line.simulated;
    if (line.gpu) report_.gpu = std::move(line.gpu);
    if (line.nccl) report_.nccl = std::move(line.nccl);
    if (line.rank) report_.rank = std::move(line.rank);
    if (!line.unique_id.empty() && report_.unique_id.empty()) {
      report_.unique_id = line.unique_id;
      if (order_.on_unique_id) order_.on_unique_id(line.unique_id);
    }
  }

  const ChildOrder& order_;
  ChildReport& report_;
  std::string line_;
  bool too_long_ = false;
  std::string errors_;
  std::string unreadable_;
  int count_ = 0;
  Clock::time_point step_from_;
};

std::string trouble_of(const ChildReport& report, const Lines& lines) {
  const bool result = report.gpu || report.nccl || report.rank_told();
  const auto last = report.error_line.empty() ? std::string() : ": " + report.error_line;
  switch (report.end.how) {
    case End::How::NotStarted:
      return "";  // run_child says it
    case End::How::Cancelled:
      return "was ended, since its result is no longer wanted";
    case End::How::Stuck:
      return text("hangs in ", report.step.empty() ? "its start" : report.step, ", ", stuck_words(report.end));
    case End::How::Deadline:
      return report.rank_told() ? "" : text("was killed at its deadline, in ", report.stopped_in());
    case End::How::Signalled:
      return report.rank_told() ? ""
                                : text("was ended by ", signal_name(report.end.code),
                                       report.step.empty() ? "" : " in " + report.step, last);
    case End::How::Exited:
      if (result && (report.end.code == 0 || report.end.code == 1)) return "";
      if (!lines.unreadable().empty()) return text("printed what cannot be read: ", lines.unreadable());
      return text("ended with status ", report.end.code, report.step.empty() ? "" : " in " + report.step,
                  result ? "" : " and without a result", last);
  }
  return "";
}

}  // namespace

ChildReport run_child(const ChildOrder& order, const Wake& cancel) {
  ChildReport report;
  Lines lines(order, report);
  ProgramListener listener;
  listener.out = [&](std::string_view piece) { lines.out(piece); };
  listener.err = [&](std::string_view piece) { lines.err(piece); };
  listener.advances = [&] { return Clock::now() - lines.step_from() < order.limit / 2; };
  listener.told = [&] { return lines.told(); };
  std::optional<Clock::time_point> killed_at;  // what the kill itself takes is not the step's
  listener.before_kill = [&](pid_t pid) {
    killed_at = Clock::now();
    if (order.before_kill) order.before_kill(pid);
  };
  std::vector<std::string> arguments{name_of(order.path)};
  arguments.insert(arguments.end(), order.arguments.begin(), order.arguments.end());
  report.end = run(Program{order.path, std::move(arguments), order.environment}, order.limit, cancel, listener);
  report.step_seconds = std::chrono::duration<double>(killed_at.value_or(Clock::now()) - lines.step_from()).count();
  report.error_line = last_line(lines.errors(), kErrorLine);
  if (report.end.how == End::How::NotStarted) {
    report.trouble = why_not_started(order.path, report.end.error);
    report.unable = true;
  } else if (lines.lines() == 0 && !why_not_loaded(report.end, lines.errors()).empty()) {
    report.trouble = why_not_loaded(report.end, lines.errors());
    report.unable = true;
  } else {
    report.trouble = trouble_of(report, lines);
    report.cut_short = !report.trouble.empty() && !report.stopped() && report.end.how != End::How::Cancelled;
  }
  return report;
}

std::string ChildReport::stopped_in() const {
  if (!stopped()) return "";
  return text(step.empty() ? "its start" : step, " for ", seconds_words(step_seconds));
}

std::string stuck_words(const End& end) {
  if (end.refused) return "and may not be ended from here, since it runs as another user (sudo, setuid); it still runs";
  return "in a call to a driver or a file system that the kernel cannot interrupt (SIGKILL did not end it); the node "
         "needs attention";
}

std::string signal_name(int number) {
  struct Name {
    int number;
    const char* name;
  };
  constexpr std::array<Name, 8> kNames = {{{SIGSEGV, "SIGSEGV (invalid memory)"},
                                           {SIGABRT, "SIGABRT (it gave up by itself)"},
                                           {SIGKILL, "SIGKILL (usually the pod's memory limit)"},
                                           {SIGBUS, "SIGBUS (usually a full /dev/shm)"},
                                           {SIGILL, "SIGILL (a CPU without an instruction it uses)"},
                                           {SIGFPE, "SIGFPE"},
                                           {SIGTERM, "SIGTERM"},
                                           {SIGSYS, "SIGSYS (a seccomp profile forbids a call)"}}};
  for (const auto& known : kNames) {
    if (known.number == number) return known.name;
  }
  return text("signal ", number);
}

std::string seconds_words(double seconds) {
  return seconds < 10 ? text(std::round(seconds * 10) / 10, " s") : text(std::round(seconds), " s");
}

}  // namespace rollcall::probe
