#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/printable.h"
#include "finding/forms.h"
#include "finding/utf8.h"

namespace rollcall {
namespace {

using Json = nlohmann::ordered_json;

/// GitHub shows at most 1,024 characters of a rule's descriptions.
constexpr std::size_t kMaxDescription = 1024;

std::string_view level_of(Severity severity) {
  switch (severity) {
    case Severity::deny:
      return "error";
    case Severity::warn:
      return "warning";
    case Severity::info:
      break;
  }
  return "note";
}

/// At most `most` bytes, cut between characters.
std::string cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  static constexpr std::string_view kEllipsis = "…";
  std::size_t end = most - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)).append(kEllipsis);
}

/// A path as a URI: relative ones stay relative to where lint ran, which must be the repository's root for GitHub to
/// find the file.
std::string uri_of(std::string_view file) {
  if (file.starts_with("<")) return "stdin";
  while (file.starts_with("./")) file.remove_prefix(2);
  std::string out = file.starts_with("/") ? "file://" : "";
  static constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

Json message(std::string_view text) { return {{"text", valid_utf8(text)}}; }

Json rule_of(const RuleHelp& rule) {
  const std::string id(rule.id);
  const std::string why(rule.why);
  const std::string wrong(rule.wrong);
  const std::string right(rule.right);
  return {
      {"id", id},
      {"shortDescription", message(cut(rule.title, kMaxDescription))},
      {"fullDescription", message(cut(why, kMaxDescription))},
      {"defaultConfiguration", {{"level", level_of(rule.severity)}}},
      {"help",
       {{"text", why + "\n\nWrong: " + wrong + "\nRight: " + right},
        {"markdown", why + "\n\n**Wrong**\n```\n" + wrong + "\n```\n**Right**\n```\n" + right +
                         "\n```\n\n`rollcall explain " + id + "` says the same in a terminal.\n"}}},
      {"properties", {{"tags", {"rollcall", id.substr(0, id.find('/'))}}, {"precision", "high"}}},
  };
}

Json location_of(const Finding& finding) {
  Json physical = {{"artifactLocation", {{"uri", uri_of(finding.place.file)}}}};
  // GitHub shows no alert without a line.
  physical["region"] = {{"startLine", std::max(1, finding.place.line)}};
  if (finding.place.line > 0 && finding.place.column > 0) physical["region"]["startColumn"] = finding.place.column;
  Json location = {{"physicalLocation", std::move(physical)}};
  const ObjectName& object = finding.object;
  location["logicalLocations"] = {
      {{"name", valid_utf8(object.name)},
       {"fullyQualifiedName", valid_utf8(object.kind + "/" + object.namespace_name + "/" + object.name +
                                         (finding.place.path.empty() ? "" : "#" + finding.place.path))},
       {"kind", "object"}}};
  return location;
}

Json notification(std::string_view level, std::string_view text) {
  return {{"level", level}, {"message", message(text)}};
}

/// Places of the findings that are kept, in their order.
std::vector<std::size_t> kept(const Findings& findings) {
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= kMaxSarifResults) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return findings[a].severity < findings[b].severity; });
  order.resize(kMaxSarifResults);
  std::sort(order.begin(), order.end());
  return order;
}

Json notifications(const LintOutcome& outcome) {
  Json list = Json::array();
  for (const std::string& error : outcome.errors) list.push_back(notification("error", error));
  if (outcome.findings.size() > kMaxSarifResults) {
    list.push_back(notification("warning", std::to_string(outcome.findings.size() - kMaxSarifResults) +
                                               " findings of the least severity are left out: GitHub keeps " +
                                               std::to_string(kMaxSarifResults) +
                                               " of a run. The forms text and json have them all."));
  }
  for (const Suppressed& one : outcome.suppressed)
    list.push_back(notification("note", "suppressed: " + terminal_line(one.finding) + " Reason: " + one.reason));
  return list;
}

}  // namespace

std::string to_sarif(const LintOutcome& outcome, std::span<const RuleHelp> rules, std::string_view version) {
  Json rule_list = Json::array();
  std::map<std::string_view, std::size_t> index;
  for (const RuleHelp& rule : rules) {
    index.emplace(rule.id, rule_list.size());
    rule_list.push_back(rule_of(rule));
  }
  const auto prints = fingerprints(outcome.findings);
  Json results = Json::array();
  for (const std::size_t i : kept(outcome.findings)) {
    const Finding& finding = outcome.findings[i];
    Json result = {{"ruleId", finding.rule}};
    if (const auto found = index.find(finding.rule); found != index.end()) result["ruleIndex"] = found->second;
    result["level"] = level_of(finding.severity);
    result["message"] = message(printable(sentence(finding)));
    result["locations"] = Json::array({location_of(finding)});
    // The one name that GitHub compares by; without it it takes the line's text, which many manifests share.
    result["partialFingerprints"] = {{"primaryLocationLineHash", prints[i]}};
    results.push_back(std::move(result));
  }
  const Json log = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Json::array({{
           {"tool",
            {{"driver", {{"name", "rollcall"}, {"semanticVersion", version}, {"rules", std::move(rule_list)}}}}},
           {"invocations", Json::array({{{"executionSuccessful", outcome.errors.empty()},
                                         {"toolExecutionNotifications", notifications(outcome)}}})},
           {"results", std::move(results)},
       }})},
  };
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rollcall
