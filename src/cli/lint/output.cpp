#include "cli/lint/output.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/write_file.h"
#include "launch/rules/registry.h"

namespace rollcall::cli {
namespace {

std::vector<RuleHelp> rule_help() {
  std::vector<RuleHelp> help;
  for (const launch::Rule* rule : launch::all_rules())
    help.push_back({rule->id, rule->severity, rule->title, rule->why, rule->wrong, rule->right});
  return help;
}

std::string written(const std::string& form, const LintOutcome& outcome, std::optional<Severity> least) {
  if (form == "json") return to_json(outcome);
  if (form == "sarif") return to_sarif(outcome, rule_help(), ROLLCALL_VERSION);
  if (form == "junit") return to_junit(outcome, least);
  if (form == "github") return to_github(outcome);
  return to_text(outcome);
}

}  // namespace

Result<std::vector<Output>> paired(const std::vector<OutputFlag>& flags) {
  std::vector<Output> outputs;
  for (const OutputFlag& flag : flags) {
    if (!flag.is_file) {
      outputs.push_back({flag.value, ""});
      continue;
    }
    if (flag.value.empty()) return Error{"--output: the file's name is empty"};
    if (outputs.empty()) outputs.emplace_back();
    if (!outputs.back().file.empty())
      return Error{"--output " + flag.value + ": each --output stands behind the --format it is for; --format " +
                   outputs.back().form + " has --output " + outputs.back().file + " already"};
    outputs.back().file = flag.value;
  }
  if (outputs.empty()) outputs.emplace_back();
  std::set<std::string> taken;
  for (const Output& output : outputs) {
    if (taken.insert(std::filesystem::path(output.file).lexically_normal().string()).second) continue;
    return Error{output.file.empty() ? "--format " + output.form +
                                           ": standard output has a form already; put an --output FILE behind all "
                                           "forms but one"
                                     : "--output " + output.file + ": two forms would be written to it"};
  }
  return outputs;
}

Status write_outputs(const std::vector<Output>& outputs, const LintOutcome& outcome, std::optional<Severity> least,
                     std::ostream& out) {
  for (const Output& output : outputs) {
    const std::string text = written(output.form, outcome, least);
    if (output.file.empty()) {
      out << text;
    } else if (Status status = write_file(output.file, text); !status.ok()) {
      return status;
    }
  }
  out.flush();
  if (!out) return Error{"the findings could not be written to standard output"};
  return Done{};
}

bool shows_text(const std::vector<Output>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const Output& output) { return output.form == "text" && output.file.empty(); });
}

}  // namespace rollcall::cli
