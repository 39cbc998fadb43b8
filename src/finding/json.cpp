#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "finding/forms.h"

namespace rollcall {
namespace {

// Keys stay in the order they are written in.
using Json = nlohmann::ordered_json;

Json optional_number(const std::optional<int>& value) { return value ? Json(*value) : Json(nullptr); }

/// The patch as a list of operations; null where there is none.
Json patch_of(const std::string& text) {
  if (text.empty()) return nullptr;
  Json patch = Json::parse(text, nullptr, false);
  return patch.is_discarded() ? Json(nullptr) : patch;
}

Json to_value(const Finding& finding) {
  Json value = {
      {"rule", finding.rule},
      {"severity", to_string(finding.severity)},
      {"message", finding.message},
      {"fix", finding.fix},
      {"patch", patch_of(finding.patch)},
      {"file", finding.place.file},
      {"line", finding.place.line},
      {"column", finding.place.column},
      {"document", finding.place.document},
      {"item", optional_number(finding.place.item)},
      {"path", finding.place.path},
      {"object",
       {{"apiVersion", finding.object.api_version},
        {"kind", finding.object.kind},
        {"namespace", finding.object.namespace_name},
        {"name", finding.object.name}}},
  };
  if (!finding.policy.empty()) value["policy"] = finding.policy;
  return value;
}

Json list_of(const Findings& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) list.push_back(to_value(finding));
  return list;
}

std::size_t count(const Findings& findings, Severity severity) {
  return static_cast<std::size_t>(std::count_if(
      findings.begin(), findings.end(), [severity](const Finding& finding) { return finding.severity == severity; }));
}

}  // namespace

std::string to_json(const Findings& findings) {
  return Json{{"findings", list_of(findings)}}.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const LintOutcome& outcome) {
  Json suppressed = Json::array();
  for (const Suppressed& one : outcome.suppressed) {
    suppressed.push_back(to_value(one.finding));
    suppressed.back()["reason"] = one.reason;
  }
  const Json log = {
      {"findings", list_of(outcome.findings)},
      {"suppressed", std::move(suppressed)},
      {"errors", outcome.errors},
      {"summary",
       {{"files", outcome.files.size()},
        {"documents", outcome.documents},
        {"judged", outcome.judged},
        {"denials", count(outcome.findings, Severity::deny)},
        {"warnings", count(outcome.findings, Severity::warn)},
        {"infos", count(outcome.findings, Severity::info)}}},
  };
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rollcall
