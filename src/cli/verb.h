#pragma once

#include <functional>
#include <iosfwd>
#include <span>

#include "cli/flags.h"

namespace CLI {
class App;
}

/// The verbs of `rollcall`, one a file. A verb declares its command line and returns what to run once it was parsed.
namespace rollcall::cli {

/// What a verb reads and writes; a test gives its own.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
};

/// Exit codes of every verb.
inline constexpr int kOk = 0;
inline constexpr int kFound = 1;   ///< lint: a denial
inline constexpr int kFailed = 2;  ///< wrong usage, or something could not be read

/// Runs the verb and returns its exit code.
using Run = std::function<int(Streams)>;
/// Adds the verb's arguments to `command`; the values live in the Run.
using Declare = Run (*)(CLI::App& command);

struct Verb {
  const char* name;
  const char* summary;
  Declare declare;
  /// The verb's table of flags: what it declares, and what shells complete.
  std::span<const Flag> (*flags)() = [] { return std::span<const Flag>(); };
};

/// The table of verbs, in the order of the help.
std::span<const Verb> all_verbs();

Run declare_lint(CLI::App& command);
Run declare_explain(CLI::App& command);
Run declare_plan(CLI::App& command);
Run declare_status(CLI::App& command);
Run declare_report(CLI::App& command);
Run declare_schema(CLI::App& command);
Run declare_completion(CLI::App& command);

std::span<const Flag> lint_flags();
std::span<const Flag> explain_flags();
std::span<const Flag> plan_flags();
std::span<const Flag> status_flags();
std::span<const Flag> report_flags();
std::span<const Flag> schema_flags();
std::span<const Flag> completion_flags();

/// Parses the command line and runs its verb. Never throws; messages of usage go to streams.err, help to streams.out.
int run(int argc, const char* const* argv, Streams streams);

}  // namespace rollcall::cli
