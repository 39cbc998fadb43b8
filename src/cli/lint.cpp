#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/inputs.h"
#include "cli/verb.h"
#include "finding/finding.h"
#include "launch/check.h"

namespace rollcall::cli {
namespace {

struct Options {
  std::vector<std::string> names;
  std::string format = "text";
};

/// Every file's findings, and what could not be read.
struct Outcome {
  Findings findings;
  std::vector<std::string> errors;
};

void lint_file(const std::string& file, std::istream& in, Outcome& outcome) {
  const Result<std::string> text = read_text(file, in);
  if (!text.ok()) {
    outcome.errors.push_back(text.error().message);
    return;
  }
  Result<Findings> found = launch::check_text(*text, file == "-" ? "<stdin>" : file);
  if (!found.ok()) {
    outcome.errors.push_back(found.error().message);
    return;
  }
  std::move(found.value().begin(), found.value().end(), std::back_inserter(outcome.findings));
}

Outcome lint(const Options& options, std::istream& in) {
  Outcome outcome;
  for (const std::string& name : options.names) {
    const auto files = files_of(name);
    if (!files.ok()) {
      outcome.errors.push_back(files.error().message);
      continue;
    }
    for (const std::string& file : *files) lint_file(file, in, outcome);
  }
  return outcome;
}

int lint_and_print(const Options& options, Streams streams) {
  if (options.names.empty()) {
    streams.err
        << "rollcall lint: no files. Name files or directories, or - for standard input: rollcall lint job.yaml, "
           "helm template … | rollcall lint -\n";
    return kFailed;
  }
  const Outcome outcome = lint(options, streams.in);
  if (options.format == "json") {
    streams.out << to_json(outcome.findings) << "\n";
  } else {
    for (const Finding& finding : outcome.findings) streams.out << terminal_line(finding) << "\n";
  }
  for (const std::string& error : outcome.errors) streams.err << "rollcall lint: " << error << "\n";
  streams.out.flush();
  if (!streams.out) {
    streams.err << "rollcall lint: the findings could not be written\n";
    return kFailed;
  }
  if (!outcome.errors.empty()) return kFailed;
  return any_denial(outcome.findings) ? kFound : kOk;
}

}  // namespace

Run declare_lint(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.add_option("files", options->names,
                     "Files, directories (every *.yaml, *.yml, *.json below), or - for standard input");
  command.add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command.footer("Exit status: 0 no denial, 1 a denial, 2 something could not be read.");
  return [options](Streams streams) { return lint_and_print(*options, streams); };
}

}  // namespace rollcall::cli
