#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/lint/judged.h"
#include "cli/verb.h"
#include "finding/finding.h"

namespace rollcall::cli {
namespace {

struct Options {
  std::vector<std::string> names;
  std::string format = "text";
};

int lint_and_print(const Options& options, Streams streams) {
  if (options.names.empty()) {
    streams.err
        << "rollcall lint: no files. Name files or directories, or - for standard input: rollcall lint job.yaml, "
           "helm template … | rollcall lint -\n";
    return kFailed;
  }
  const Judged outcome = judge_inputs(options.names, streams.in);
  if (options.format == "json") {
    streams.out << to_json(outcome.findings) << "\n";
  } else {
    for (const Finding& finding : outcome.findings) streams.out << terminal_line(finding) << "\n";
  }
  for (const InputError& error : outcome.errors) streams.err << "rollcall lint: " << error.text() << "\n";
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
