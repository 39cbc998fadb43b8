#include "launch/rules/judgement.h"

#include <algorithm>

#include "launch/document/document.h"
#include "launch/rules/rule.h"

namespace rollcall::launch {

Place place_of(const Origin& origin, const std::string& path) {
  Place place{origin.file, 0, 0, origin.document, origin.item, path};
  if (origin.marks == nullptr) return place;
  const std::string whole = origin.prefix.empty() || path.empty() ? origin.prefix + path : origin.prefix + "." + path;
  const Mark mark = origin.marks->at(whole);
  place.line = mark.line;
  place.column = mark.column;
  return place;
}

Judgement::Words Judgement::add(const Rule& rule, const std::string& path) {
  return add_in(rule, object_, place_of(origin_, path));
}

Judgement::Words Judgement::add_in(const Rule& rule, const ObjectName& object, const Place& place) {
  Finding finding;
  finding.rule = rule.id;
  finding.severity = rule.severity;
  finding.object = object;
  finding.place = place;
  findings_.push_back(std::move(finding));
  return Words(findings_.back());
}

bool Judgement::denied(const std::string& path) const {
  return std::any_of(findings_.begin(), findings_.end(), [&path](const Finding& finding) {
    return finding.severity == Severity::deny && finding.place.path == path;
  });
}

bool Judgement::found(std::string_view rule) const {
  return std::any_of(findings_.begin(), findings_.end(), [rule](const Finding& one) { return one.rule == rule; });
}

}  // namespace rollcall::launch
