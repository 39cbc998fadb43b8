#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/declare.h"
#include "cli/inputs.h"
#include "cli/lint/config.h"
#include "cli/lint/fix.h"
#include "cli/lint/judged.h"
#include "cli/lint/output.h"
#include "cli/verb.h"
#include "finding/forms.h"

namespace rollcall::cli {
namespace {

constexpr const char* kLeast[] = {"deny", "warn", "info", "never"};

constexpr Flag kFlags[] = {
    {"files",
     "Files, folders (every *.yaml, *.yml, *.json below), or - for standard input",
     Takes::file,
     "PATH",
     {},
     true},
    {"--format", "The form findings are printed in", Takes::choice, "FORM", kForms, true},
    {"--output", "Where the --format before it goes", Takes::file, "FILE", {}, true},
    {"--fail-on", "From which severity on the exit status is 1", Takes::choice, "SEVERITY", kLeast},
    {"--config", "Severities of rules; absent = .rollcall.yaml here or above, up to the repository's root", Takes::file,
     "FILE"},
    {"--fix", "Write what findings say to write instead into the files; with -, to standard output"},
};

struct Options {
  std::vector<std::string> names;
  std::vector<std::string> formats;
  std::vector<std::string> outputs;
  std::string fail_on = "deny";
  std::string config;
  bool fix = false;
};

/// --format and --output in the order they were written in, which pairs them.
std::vector<OutputFlag> in_order(const CLI::App& command, const Options& options) {
  std::vector<OutputFlag> flags;
  auto format = options.formats.begin();
  auto output = options.outputs.begin();
  for (const CLI::Option* option : command.parse_order()) {
    if (option->check_name("--format") && format != options.formats.end()) flags.push_back({false, *format++});
    if (option->check_name("--output") && output != options.outputs.end()) flags.push_back({true, *output++});
  }
  return flags;
}

LintOutcome outcome_of(Judged judged) {
  LintOutcome outcome;
  outcome.documents = static_cast<std::size_t>(judged.documents());
  outcome.judged = static_cast<std::size_t>(judged.judged());
  for (JudgedFile& file : judged.files) outcome.files.push_back(std::move(file.name));
  outcome.findings = std::move(judged.findings);
  for (launch::PassedOver& one : judged.ignored)
    outcome.suppressed.push_back({std::move(one.finding), std::move(one.reason)});
  for (const InputError& error : judged.errors) outcome.errors.push_back(error.text());
  return outcome;
}

int failed(Streams streams, const std::string& why) {
  streams.err << "rollcall lint: " << why << "\n";
  return kFailed;
}

/// The config that was named or is found; nullopt = there is none.
Result<std::optional<Config>> config_of(const Options& options) {
  std::optional<std::string> file;
  if (!options.config.empty()) {
    file = options.config;
  } else {
    std::error_code error;
    const auto here = std::filesystem::current_path(error);
    if (!error) file = find_config(here);
  }
  if (!file) return std::optional<Config>();
  auto config = read_config(*file);
  if (!config.ok()) return config.error();
  return std::optional<Config>(std::move(config.value()));
}

int exit_code(const LintOutcome& outcome, std::optional<Severity> least) {
  if (!outcome.errors.empty()) return kFailed;
  const bool found = least && std::any_of(outcome.findings.begin(), outcome.findings.end(),
                                          [&](const Finding& one) { return reaches(one.severity, *least); });
  return found ? kFound : kOk;
}

/// `out`: where the form without an --output goes.
int print(const LintOutcome& outcome, const std::vector<Output>& outputs, const Options& options, std::ostream& out,
          Streams streams) {
  const std::optional<Severity> least = severity_from(options.fail_on);
  const Status written = write_outputs(outputs, outcome, least, out);
  for (const std::string& error : outcome.errors) streams.err << "rollcall lint: " << error << "\n";
  // A text form ends with this line; without one an input that holds nothing to judge must not pass in silence.
  if (outcome.judged == 0 && outcome.errors.empty() && !shows_text(outputs))
    streams.err << "rollcall lint: nothing was judged: " << summary_line(outcome) << "\n";
  if (!written.ok()) return failed(streams, written.error().message);
  return exit_code(outcome, least);
}

int fix(const Judge& judge, const Options& options, const std::vector<Output>& outputs, Streams streams) {
  const bool standard = std::find(options.names.begin(), options.names.end(), "-") != options.names.end();
  std::string text;
  if (standard) {
    auto read = read_text("-", streams.in);
    if (!read.ok()) return failed(streams, read.error().message);
    text = std::move(read.value());
  }
  const Fixed fixed = fix_inputs(judge, std::move(text));
  for (const std::string& note : fixed.notes) streams.err << "rollcall lint: " << note << "\n";
  if (standard) streams.out << fixed.standard;
  // The fixed text has standard output for itself.
  const int code = print(fixed.outcome, outputs, options, standard ? streams.err : streams.out, streams);
  streams.out.flush();
  if (!streams.out) return failed(streams, "the fixed text could not be written to standard output");
  return fixed.failed ? kFailed : code;
}

int lint(const CLI::App& command, const Options& options, Streams streams) {
  if (options.names.empty())
    return failed(streams,
                  "no files. Name files or folders, or - for standard input: rollcall lint job.yaml, helm template … | "
                  "rollcall lint -");
  const auto outputs = paired(in_order(command, options));
  if (!outputs.ok()) return failed(streams, outputs.error().message);
  const auto config = config_of(options);
  if (!config.ok()) return failed(streams, config.error().message);
  const Judge judge = [&](std::istream& in) {
    LintOutcome outcome = outcome_of(judge_inputs(options.names, in));
    if (*config) apply_config(**config, outcome);
    return outcome;
  };
  if (options.fix) return fix(judge, options, *outputs, streams);
  return print(judge(streams.in), *outputs, options, streams.out, streams);
}

}  // namespace

std::span<const Flag> lint_flags() { return kFlags; }

Run declare_lint(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  declare(command, kFlags[0], options->names);
  declare(command, kFlags[1], options->formats);
  declare(command, kFlags[2], options->outputs);
  declare(command, kFlags[4], options->config);
  declare(command, kFlags[5], options->fix);
  declare(command, kFlags[3], options->fail_on)->capture_default_str();
  command.footer(
      "Exit status: 0 nothing of that severity, 1 findings of it, 2 something could not be read or written.");
  return [options, &command](Streams streams) { return lint(command, *options, streams); };
}

}  // namespace rollcall::cli
