#include "cli/lint/fix.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "cli/fix/fix_text.h"
#include "cli/inputs.h"
#include "cli/write_file.h"

namespace rollcall::cli {
namespace {

/// A fix that brings another finding with a fix ends after a few rounds; two that undo each other never would.
constexpr int kMaxRounds = 20;

constexpr auto kStandard = "<stdin>";

/// A finding that no edit could be made of is not tried again.
std::string key_of(const Finding& finding) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", finding.place.file, finding.place.document,
                     finding.place.item.value_or(-1), finding.rule, finding.place.path, finding.patch);
}

class Rounds {
 public:
  Rounds(const Judge& judge, std::string standard) : judge_(judge) { fixed_.standard = std::move(standard); }

  Fixed run() {
    look();
    for (int round = 0; round < kMaxRounds && write(); ++round) look();
    for (const auto& [file, count] : written_)
      fixed_.notes.push_back(fmt::format("{}: {} {} written", file, count, count == 1 ? "fix" : "fixes"));
    return std::move(fixed_);
  }

 private:
  void look() {
    std::istringstream in(fixed_.standard);
    fixed_.outcome = judge_(in);
  }

  /// Whether anything was written.
  bool write() {
    std::map<std::string, std::vector<const Finding*>> by_file;
    for (const Finding& finding : fixed_.outcome.findings)
      if (!finding.patch.empty() && !left_.contains(key_of(finding))) by_file[finding.place.file].push_back(&finding);
    bool any = false;
    for (const auto& [file, findings] : by_file) any = write_into(file, findings) || any;
    return any;
  }

  bool write_into(const std::string& file, const std::vector<const Finding*>& findings) {
    const bool standard = file == kStandard;
    std::istringstream nothing;
    const auto text = standard ? Result<std::string>(fixed_.standard) : read_text(file, nothing);
    if (!text.ok()) return failed(text.error().message, findings);
    std::vector<Fix> all;
    for (const Finding* finding : findings)
      all.push_back({finding->place.document, finding->place.item, finding->patch});
    std::vector<Fix> now;
    std::vector<const Finding*> of;
    for (const std::size_t i : independent(all)) {
      now.push_back(all[i]);
      of.push_back(findings[i]);
    }
    FixedText made = fix_text(*text, now);
    int count = 0;
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (made.problems[i].empty()) {
        ++count;
        continue;
      }
      left_.insert(key_of(*of[i]));
      fixed_.notes.push_back(fmt::format("{}:{}: [{}] the fix was not written: {}", file, of[i]->place.line,
                                         of[i]->rule, made.problems[i]));
    }
    if (count == 0) return false;
    if (standard) {
      fixed_.standard = std::move(made.text);
    } else if (const Status status = write_file(file, made.text); !status.ok()) {
      return failed(status.error().message, findings);
    }
    written_[file] += count;
    return true;
  }

  bool failed(const std::string& why, const std::vector<const Finding*>& findings) {
    fixed_.failed = true;
    fixed_.notes.push_back(why);
    for (const Finding* finding : findings) left_.insert(key_of(*finding));
    return false;
  }

  const Judge& judge_;
  Fixed fixed_;
  std::set<std::string> left_;
  std::map<std::string, int> written_;
};

}  // namespace

Fixed fix_inputs(const Judge& judge, std::string standard) { return Rounds(judge, std::move(standard)).run(); }

}  // namespace rollcall::cli
