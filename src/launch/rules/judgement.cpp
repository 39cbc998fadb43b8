#include "launch/rules/judgement.h"

#include <algorithm>

#include "launch/rules/rule.h"

namespace rollcall::launch {

Judgement::Words Judgement::add(const Rule& rule, const std::string& path) {
  Finding finding;
  finding.rule = rule.id;
  finding.severity = rule.severity;
  finding.object = object_;
  finding.place = {origin_.file, 0, 0, origin_.document, origin_.item, path};
  if (origin_.marks != nullptr) {
    const std::string whole =
        origin_.prefix.empty() || path.empty() ? origin_.prefix + path : origin_.prefix + "." + path;
    const Mark mark = origin_.marks->at(whole);
    finding.place.line = mark.line;
    finding.place.column = mark.column;
  }
  findings_.push_back(std::move(finding));
  return Words(findings_.back());
}

bool Judgement::denied(const std::string& path) const {
  return std::any_of(findings_.begin(), findings_.end(), [&path](const Finding& finding) {
    return finding.severity == Severity::deny && finding.place.path == path;
  });
}

}  // namespace rollcall::launch
