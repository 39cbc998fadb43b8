#include "finding/finding.h"

#include <algorithm>

#include "base/printable.h"

namespace rollcall {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::deny:
      return "deny";
    case Severity::warn:
      return "warn";
    case Severity::info:
      break;
  }
  return "info";
}

std::optional<Severity> severity_from(std::string_view text) {
  for (const Severity severity : {Severity::deny, Severity::warn, Severity::info}) {
    if (text == to_string(severity)) return severity;
  }
  return std::nullopt;
}

bool any_denial(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.severity == Severity::deny; });
}

std::string sentence(const Finding& finding) {
  std::string out;
  if (!finding.place.path.empty()) out += finding.place.path + ": ";
  out += finding.message;
  if (!finding.fix.empty()) out += " " + finding.fix;
  // A severity that is not the rule's own says whose it is, or `explain` would contradict what is read here.
  return out + " [" + finding.rule + (finding.policy.empty() ? "" : ": " + finding.policy) + "]";
}

std::string terminal_line(const Finding& finding) {
  std::string out;
  if (!finding.place.file.empty()) {
    out += finding.place.file;
    if (finding.place.line > 0) {
      out += ":" + std::to_string(finding.place.line);
      if (finding.place.column > 0) out += ":" + std::to_string(finding.place.column);
    }
    out += ": ";
  }
  out += std::string(to_string(finding.severity)) + ": " + sentence(finding);
  // What a manifest can put into a value must not break the list, nor steer the terminal.
  return printable(out);
}

}  // namespace rollcall
