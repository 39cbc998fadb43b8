#include "cli/lint/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>
#include <vector>

#include "cli/inputs.h"
#include "cli/schema/schema.h"
#include "cli/schema/validate.h"
#include "launch/document/document.h"
#include "launch/policy/policy.h"

namespace rollcall::cli {
namespace {

namespace fs = std::filesystem;
using launch::Document;

bool there(const fs::path& path) {
  std::error_code error;  // what cannot be looked at is not there for us; reading it says why
  return fs::exists(path, error);
}

Result<Document> only_document(const std::string& text, const std::string& file) {
  Document found;
  int documents = 0;
  const Status read = launch::read_documents(text, [&](Document document) {
    if (documents++ == 0) found = std::move(document);
  });
  if (!read.ok()) return Error{file + ":" + read.error().message};
  if (documents > 1) return Error{file + ": has several documents; one is read"};
  if (documents == 0) found.value = nlohmann::json::object();
  return found;
}

std::string place(const std::string& file, const launch::Mark& mark, const std::string& path) {
  return fmt::format("{}:{}:{}: {}{}", file, mark.line, mark.column, path, path.empty() ? "" : ": ");
}

std::string words_of(const SchemaProblem& problem) {
  if (problem.path == "namespaceSelector")
    return "lint does not know the namespaces' labels; this file is for all that is linted";
  return problem.message + (problem.path.ends_with(".rule") ? " `rollcall explain` lists the rules" : "");
}

/// One a line, in the order of the text.
std::string all_problems(const Document& document, const nlohmann::json& schema, const std::string& file) {
  std::vector<std::pair<int, std::string>> lines;
  for (const launch::DuplicateKey& twice : document.duplicates)
    lines.emplace_back(twice.second.line, place(file, twice.second, twice.path) +
                                              fmt::format("stands in line {} already", twice.first.line));
  for (const SchemaProblem& problem : problems_of(document.value, schema)) {
    const launch::Mark mark = document.marks.at(problem.path);
    lines.emplace_back(mark.line, place(file, mark, problem.path) + words_of(problem));
  }
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (const auto& [line, words] : lines) out += (out.empty() ? "" : "\n") + words;
  return out;
}

}  // namespace

std::optional<std::string> find_config(const fs::path& from) {
  std::optional<std::string> nearest;
  for (fs::path folder = from;; folder = folder.parent_path()) {
    if (!nearest && there(folder / kConfigName)) nearest = (folder / kConfigName).string();
    if (there(folder / ".git")) return nearest;
    if (folder == folder.parent_path()) break;
  }
  if (there(from / kConfigName)) return (from / kConfigName).string();
  return std::nullopt;
}

Result<Config> read_config(const std::string& file) {
  std::ifstream nothing;  // `-` is an input's name, not a config's
  const auto text = read_text(file == "-" ? "./-" : file, nothing);
  if (!text.ok()) return text.error();
  const auto schema = schema_of("config");
  if (!schema.ok()) return schema.error();
  const auto document = only_document(*text, file);
  if (!document.ok()) return document.error();
  if (const std::string problems = all_problems(*document, *schema, file); !problems.empty()) return Error{problems};
  auto policy = api::rollcall_policy_from({{"metadata", {{"name", file}}}, {"spec", document->value}});
  if (!policy.ok()) return policy.error().in(file);
  return Config{file, std::move(policy.value())};
}

void apply_config(const Config& config, LintOutcome& outcome) {
  const std::array policies{config.policy};
  const launch::Policy policy = launch::policy_for(policies, {});
  launch::Checked checked;
  checked.findings = std::move(outcome.findings);
  for (Suppressed& one : outcome.suppressed) checked.ignored.push_back({std::move(one.finding), std::move(one.reason)});
  Findings off = launch::apply_policy(policy, checked);
  // A policy's words name it by its kind; here it is a file.
  const std::string by = "RollcallPolicy " + config.file;
  const auto in_our_words = [&](std::string words) {
    for (auto at = words.find(by); at != std::string::npos; at = words.find(by, at)) words.erase(at, by.find(' ') + 1);
    return words;
  };
  outcome.suppressed.clear();
  for (launch::PassedOver& one : checked.ignored)
    outcome.suppressed.push_back({std::move(one.finding), std::move(one.reason)});
  for (Finding& finding : off) {
    std::string reason = in_our_words(std::exchange(finding.policy, {}));
    outcome.suppressed.push_back({std::move(finding), std::move(reason)});
  }
  outcome.findings = std::move(checked.findings);
  for (Finding& finding : outcome.findings) finding.policy = in_our_words(std::move(finding.policy));
}

}  // namespace rollcall::cli
