#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/printable.h"
#include "finding/forms.h"

namespace rollcall {
namespace {

std::string counted(std::size_t count, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

std::size_t count(const Findings& findings, Severity severity) {
  return static_cast<std::size_t>(std::count_if(
      findings.begin(), findings.end(), [severity](const Finding& finding) { return finding.severity == severity; }));
}

auto object_key(const Finding& finding) {
  return std::tie(finding.place.file, finding.place.document, finding.place.item, finding.object.kind,
                  finding.object.namespace_name, finding.object.name);
}

/// `PyTorchJob llama in namespace team-a`.
std::string object_name(const ObjectName& object) {
  std::string out =
      (object.kind.empty() ? "object" : object.kind) + " " + (object.name.empty() ? "without a name" : object.name);
  if (!object.namespace_name.empty()) out += " in namespace " + object.namespace_name;
  return out;
}

std::string place_of(const Place& place) {
  std::string out = place.file;
  if (place.line > 0) out += ":" + std::to_string(place.line);
  if (place.line > 0 && place.column > 0) out += ":" + std::to_string(place.column);
  return out;
}

std::string rule_of(const Finding& finding) {
  return "[" + finding.rule + (finding.policy.empty() ? "" : ": " + finding.policy) + "]";
}

void append_finding(const Finding& finding, std::string& out) {
  std::string words = place_of(finding.place) + ": " + std::string(to_string(finding.severity)) + ": ";
  if (!finding.place.path.empty()) words += finding.place.path + ": ";
  words += finding.message;
  // What to write instead has a line of its own: it is what the reader came for.
  if (finding.fix.empty()) {
    out += "  " + printable(words + " " + rule_of(finding)) + "\n";
    return;
  }
  out += "  " + printable(words) + "\n    " + printable(finding.fix + " " + rule_of(finding)) + "\n";
}

}  // namespace

bool reaches(Severity severity, Severity least) { return static_cast<int>(severity) <= static_cast<int>(least); }

std::string summary_line(const LintOutcome& outcome) {
  std::string out = counted(outcome.files.size(), "file", "files") + ", " +
                    counted(outcome.documents, "document", "documents") + ", " +
                    counted(outcome.judged, "object", "objects") +
                    " judged: " + counted(count(outcome.findings, Severity::deny), "denial", "denials") + ", " +
                    counted(count(outcome.findings, Severity::warn), "warning", "warnings");
  if (const auto infos = count(outcome.findings, Severity::info); infos > 0) out += fmt::format(", {} info", infos);
  if (const auto passed = outcome.suppressed.size(); passed > 0)
    out += "; " + counted(passed, "finding", "findings") + " suppressed";
  if (const auto errors = outcome.errors.size(); errors > 0) out += fmt::format("; {} not readable", errors);
  return out;
}

std::string to_text(const LintOutcome& outcome) {
  std::string out;
  const Findings& all = outcome.findings;
  for (auto from = all.begin(); from != all.end();) {
    const auto to =
        std::find_if(from, all.end(), [&](const Finding& other) { return object_key(other) != object_key(*from); });
    std::vector<const Finding*> group;
    std::transform(from, to, std::back_inserter(group), [](const Finding& finding) { return &finding; });
    std::stable_sort(group.begin(), group.end(),
                     [](const auto* a, const auto* b) { return a->severity < b->severity; });
    out += printable(object_name(from->object)) + "\n";
    for (const Finding* finding : group) append_finding(*finding, out);
    out += "\n";
    from = to;
  }
  if (!outcome.suppressed.empty()) {
    out += "Suppressed\n";
    for (const Suppressed& one : outcome.suppressed) {
      out += "  " +
             printable(place_of(one.finding.place) + ": " + std::string(to_string(one.finding.severity)) + " [" +
                       one.finding.rule + "] of " + object_name(one.finding.object) + ": " + one.reason) +
             "\n";
    }
    out += "\n";
  }
  return out + summary_line(outcome) + "\n";
}

}  // namespace rollcall
