#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "finding/finding.h"

/// The forms in which a run of `rollcall lint` is printed. All pure; every text is valid UTF-8 and ends with a line
/// feed.
namespace rollcall {

/// A finding that the object's own annotation passes over, with the reason given there.
struct Suppressed {
  Finding finding;
  std::string reason;
};

/// What one run came to.
struct LintOutcome {
  std::vector<std::string> files;  ///< that were read or should have been, in order
  std::size_t documents = 0;       ///< that were not empty
  std::size_t judged = 0;          ///< objects of kinds that are read
  Findings findings;
  std::vector<Suppressed> suppressed;
  std::vector<std::string> errors;  ///< what could not be read, each beginning with its file's name
};

/// What a form can say of a rule besides its findings.
struct RuleHelp {
  std::string_view id;
  Severity severity;
  std::string_view title;
  std::string_view why;
  std::string_view wrong;
  std::string_view right;
};

/// Whether a finding counts when everything from `least` on does: a denial always, a warning with warn and info.
bool reaches(Severity severity, Severity least);

/// `2 files, 5 documents, 3 objects judged: 1 denial, 2 warnings; 1 finding suppressed`: one line, without a line feed.
std::string summary_line(const LintOutcome& outcome);

/// For people: findings by object, denials first, what was suppressed and why, the summary.
std::string to_text(const LintOutcome& outcome);

/// {"findings": […], "suppressed": […], "summary": {…}}; keys in a fixed order.
std::string to_json(const LintOutcome& outcome);

/// SARIF 2.1.0 as GitHub's code scanning takes it. Of more than kMaxSarifResults findings the gravest are kept, and a
/// notification says how many were left out. What was suppressed is a notification too: GitHub would make an alert of
/// each.
std::string to_sarif(const LintOutcome& outcome, std::span<const RuleHelp> rules, std::string_view version);
/// GitHub takes 25,000 results a run and keeps 5,000 of them (docs.github.com, "SARIF results exceed limits").
inline constexpr std::size_t kMaxSarifResults = 5000;

/// JUnit: one suite a file, one case a finding. A finding from `least` on is a failure, a lesser one a case that passes
/// with its words, a suppressed one is skipped, a file that could not be read an error. nullopt = nothing fails.
std::string to_junit(const LintOutcome& outcome, std::optional<Severity> least);

/// GitHub's workflow commands: `::error file=…,line=…,title=…::…`, one line a finding.
std::string to_github(const LintOutcome& outcome);

/// One for each finding, in order: equal over runs as long as rule, file, object and field stay, whatever moves in the
/// file; the place in a list does not count. Findings that agree in all of it are numbered.
std::vector<std::string> fingerprints(const Findings& findings);

}  // namespace rollcall
