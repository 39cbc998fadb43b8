#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "probe/children/process.h"
#include "roll_call/child_lines.h"

namespace rollcall::probe {

/// What a program that speaks in lines (roll_call/child_lines.h) said until its end; its lines are untrusted text.
struct ChildReport {
  End end;
  std::string step;         ///< the last one it began
  double step_seconds = 0;  ///< from then to its end, or its kill
  std::optional<roll_call::GpuFacts> gpu;
  std::optional<roll_call::NcclFacts> nccl;
  std::optional<roll_call::RankResult> rank;
  std::string unique_id;
  bool simulated = false;
  std::string error_line;  ///< last of its standard error
  /// Why it is not a whole result, as a sentence's part; empty when it ended by itself with a result line.
  std::string trouble;
  bool unable = false;     ///< it could not be started here; `trouble` says why
  bool cut_short = false;  ///< it began, and ended by itself before it had told all: a crash; `trouble` says how

  /// Its rank's result is there; before the end it tells one that is TimedOut, with what is known so far.
  bool rank_told() const { return rank && rank->outcome != roll_call::RankOutcome::TimedOut; }
  bool stopped() const { return end.how == End::How::Deadline || end.how == End::How::Stuck; }
  bool stuck() const { return end.how == End::How::Stuck; }
  /// "cuInit for 41 s"; empty when it was not stopped.
  std::string stopped_in() const;
};

struct ChildOrder {
  std::string path;
  std::vector<std::string> arguments;  ///< after the program's name
  const Environment& environment;
  std::chrono::milliseconds limit{0};
  std::function<void(const std::string&)> on_unique_id = {};
  std::function<void(pid_t)> before_kill = {};
};

/// Runs it (process.h). At its deadline a child whose last step began in the second half of its time still advances and
/// gets as long again, once; end.extended says so. Blocks; any thread.
ChildReport run_child(const ChildOrder& order, const Wake& cancel);

/// Of an end that is Stuck: why it is still there, as a sentence's part.
std::string stuck_words(const End& end);

/// How the child ended, into the facts that the desk judges (GpuFacts, NcclFacts).
template <typename Facts>
void mark_end(const ChildReport& report, Facts& facts) {
  facts.simulated = facts.simulated || report.simulated;
  if (report.stopped()) facts.stopped_in = report.stopped_in();
  facts.stuck = report.stuck();
  facts.not_started = report.unable;
  facts.cut_short = report.cut_short;
}

/// "SIGSEGV" or "signal 64".
std::string signal_name(int number);

/// "41 s", "0.3 s".
std::string seconds_words(double seconds);

}  // namespace rollcall::probe
