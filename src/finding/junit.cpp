#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/markup.h"
#include "finding/forms.h"
#include "finding/utf8.h"

namespace rollcall {
namespace {

/// Text or an attribute's value. XML 1.0 has no way to write most control characters, U+FFFE and U+FFFF.
std::string escaped(std::string_view raw) {
  const std::string text = valid_utf8(raw);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (const auto entity = entity_of(c); !entity.empty()) {
      out += entity;
    } else if (text.compare(i, 3, "\xef\xbf\xbe") == 0 || text.compare(i, 3, "\xef\xbf\xbf") == 0) {
      out += '?';
      i += 2;
    } else {
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return out;
}

struct Suite {
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
  std::string cases;

  void add(const std::string& name, const std::string& file, int line, const std::string& inside) {
    ++tests;
    cases +=
        fmt::format(R"(    <testcase name="{}" classname="{}" file="{}")", escaped(name), escaped(file), escaped(file));
    if (line > 0) cases += fmt::format(R"( line="{}")", line);
    cases += inside.empty() ? "/>\n" : ">\n      " + inside + "\n    </testcase>\n";
  }
};

std::string case_name(const Finding& finding) {
  std::string out = finding.rule + " " + finding.object.kind + " " + finding.object.name;
  if (!finding.place.path.empty()) out += " " + finding.place.path;
  return out;
}

void add_finding(const Finding& finding, std::optional<Severity> least, Suite& suite) {
  const std::string words = escaped(terminal_line(finding));
  const bool fails = least && reaches(finding.severity, *least);
  if (fails) ++suite.failures;
  suite.add(case_name(finding), finding.place.file, finding.place.line,
            fails ? fmt::format(R"(<failure type="{}" message="{}">{}</failure>)", to_string(finding.severity),
                                escaped(finding.message), words)
                  : "<system-out>" + words + "</system-out>");
}

/// The file that an error begins with; the longest that fits, because one name can be another's beginning.
std::string file_of(const std::string& error, const std::vector<std::string>& files) {
  std::string found;
  for (const std::string& file : files) {
    if (file.size() > found.size() && error.starts_with(file)) found = file;
  }
  return found.empty() ? error.substr(0, error.find(": ")) : found;
}

}  // namespace

std::string to_junit(const LintOutcome& outcome, std::optional<Severity> least) {
  std::map<std::string, Suite> suites;
  for (const std::string& file : outcome.files) suites[file];
  for (const Finding& finding : outcome.findings) add_finding(finding, least, suites[finding.place.file]);
  for (const Suppressed& one : outcome.suppressed) {
    Suite& suite = suites[one.finding.place.file];
    ++suite.skipped;
    suite.add(case_name(one.finding), one.finding.place.file, one.finding.place.line,
              fmt::format(R"(<skipped message="{}"/>)", escaped(one.reason)));
  }
  for (const std::string& error : outcome.errors) {
    const std::string file = file_of(error, outcome.files);
    Suite& suite = suites[file];
    ++suite.errors;
    suite.add("is readable", file, 0, fmt::format(R"(<error type="unreadable" message="{}"/>)", escaped(error)));
  }
  Suite sum;
  std::string inside;
  for (auto& [file, suite] : suites) {
    // Readers drop a suite without a case, and with it that the file was looked at.
    if (suite.tests == 0) suite.add("no finding", file, 0, "");
    sum.tests += suite.tests;
    sum.failures += suite.failures;
    sum.errors += suite.errors;
    sum.skipped += suite.skipped;
    inside += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n",
        escaped(file), suite.tests, suite.failures, suite.errors, suite.skipped, suite.cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rollcall lint\" tests=\"{}\" failures=\"{}\" "
      "errors=\"{}\" skipped=\"{}\">\n{}</testsuites>\n",
      sum.tests, sum.failures, sum.errors, sum.skipped, inside);
}

}  // namespace rollcall
