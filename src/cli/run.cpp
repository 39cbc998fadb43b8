#include <CLI/CLI.hpp>
#include <exception>
#include <istream>
#include <ostream>
#include <utility>
#include <vector>

#include "cli/verb.h"

namespace rollcall::cli {
namespace {

// The table of verbs; each is a file of its name.
constexpr Verb kVerbs[] = {
    {"lint", "Check manifests for launches that cannot work", declare_lint, lint_flags},
    {"explain", "Say what a rule finds, and why", declare_explain, explain_flags},
    {"plan", "Print what each node of a job runs, and what it is told", declare_plan, plan_flags},
    {"status", "Show a job's roll call: nodes by stages", declare_status, status_flags},
    {"report", "Show all that a roll call found, as text, JSON or one HTML page", declare_report, report_flags},
    {"schema", "Print a JSON Schema, for editors", declare_schema, schema_flags},
    {"completion", "Print a script that completes verbs and flags in a shell", declare_completion, completion_flags},
};

int parse_and_run(int argc, const char* const* argv, Streams streams) {
  CLI::App app{"Keeps multi-node training jobs from hanging: every rank answers before step 1.", "rollcall"};
  app.set_version_flag("--version", std::string("rollcall ") + ROLLCALL_VERSION);
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, Run>> verbs;
  for (const Verb& verb : kVerbs) {
    CLI::App* command = app.add_subcommand(verb.name, verb.summary);
    verbs.emplace_back(command, verb.declare(*command));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are "errors" of code 0 to CLI11.
    return app.exit(error, streams.out, streams.err) == 0 ? kOk : kFailed;
  }
  for (const auto& [command, verb] : verbs) {
    if (command->parsed()) return verb(streams);
  }
  return kFailed;
}

}  // namespace

std::span<const Verb> all_verbs() { return kVerbs; }

int run(int argc, const char* const* argv, Streams streams) {
  try {
    return parse_and_run(argc, argv, streams);
  } catch (const std::exception& error) {
    streams.err << "rollcall: " << error.what() << "\n";
    return kFailed;
  }
}

}  // namespace rollcall::cli
