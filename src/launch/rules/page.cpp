#include "launch/rules/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "launch/check.h"
#include "launch/kinds/readers.h"

namespace rollcall::launch {
namespace {

constexpr auto kMade = "<!-- Made by dev/docs from the rule's table entry and examples. -->\n";

std::string family_of(std::string_view id) { return std::string(id.substr(0, id.find('/'))); }
std::string name_of(std::string_view id) { return std::string(id.substr(id.find('/') + 1)); }

std::string_view effect(Severity severity) {
  switch (severity) {
    case Severity::deny:
      return "deny: cannot work as written, or silently trains in the wrong world";
    case Severity::warn:
      return "warn: may fail, or wastes GPUs, depending on the cluster";
    case Severity::info:
      break;
  }
  return "info: worth knowing";
}

std::string yaml(std::string_view text) {
  std::string block = "```yaml\n" + std::string(text);
  if (!block.ends_with('\n')) block += '\n';
  return block + "```\n";
}

/// What the rule says of an example, as a terminal shows it, and the patch where there is one.
std::string said(const Rule& rule, std::string_view text) {
  const auto findings = check_text(text, "job.yaml");
  if (!findings.ok()) return "This example cannot be read: " + findings.error().message + "\n";
  std::string out = "```text\n", patches;
  for (const Finding& finding : *findings) {
    if (finding.rule != rule.id) continue;
    out += terminal_line(finding) + "\n";
    if (!finding.patch.empty()) patches += finding.patch + "\n";
  }
  out += "```\n";
  if (!patches.empty()) out += "\n`rollcall lint --fix` writes it, as this JSON patch:\n```json\n" + patches + "```\n";
  return out;
}

}  // namespace

std::string page_path(const Rule& rule) { return fmt::format("rules/{}.md", rule.id); }

std::string kinds_of(const Rule& rule) {
  // Two versions of a kind are one name here. A runtime is a part of the jobs that name it, asked about by itself only
  // by rules that say so.
  std::vector<std::string> asked, every;
  for (const KindReader& reader : all_readers()) {
    std::string name(reader.name == "Job" ? fmt::format("{} Job", reader.group == "batch" ? "batch" : "Volcano")
                                          : std::string(reader.name));
    const auto add = [&name](std::vector<std::string>& names) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    if (rule.kinds.has(reader.kind)) add(asked);
    if (kEveryKind.has(reader.kind)) add(every);
  }
  if (asked.empty()) return "kinds that are not read and have nearly the name of one that is";
  const auto lacks = [&asked](const std::string& name) {
    return std::find(asked.begin(), asked.end(), name) == asked.end();
  };
  std::vector<std::string> missing;
  std::copy_if(every.begin(), every.end(), std::back_inserter(missing), lacks);
  if (missing.empty()) return "every kind";
  if (missing.size() <= 4 && asked.size() > missing.size())
    return fmt::format("every kind but {}", fmt::join(missing, ", "));
  return fmt::format("{}", fmt::join(asked, ", "));
}

std::string page_of(const Rule& rule, std::string_view wrong, std::string_view right) {
  return fmt::format(
      "{}# {}\n\nA finding `{}`: {}.\n\n- Severity: {}. A [RollcallPolicy](../../policies.md) or `.rollcall.yaml` can "
      "change it.\n- Asked about: {}.\n\n## Why\n{}\n\n## Wrong\n`{}`\n{}\nIt says:\n{}\n## Right\n`{}`\n{}\n## Where "
      "it "
      "is meant to be so\nAn annotation on the object passes over it and says why; the reason is shown wherever the "
      "finding would have been:\n```yaml\nmetadata:\n  annotations:\n    rollcall.dev/ignore: \"{}: REASON\"\n```\n",
      kMade, rule.id, rule.id, rule.title, effect(rule.severity), kinds_of(rule), rule.why, rule.wrong, yaml(wrong),
      said(rule, wrong), rule.right, yaml(right), rule.id);
}

std::string index_of(std::span<const Rule* const> rules) {
  std::string out = fmt::format(
      "{}# Rules\n\nWhat `rollcall lint`, the webhook and the operator find, {} rules. Each has a page with its reason "
      "and two examples; `rollcall explain RULE` says its reason on a terminal.\n",
      kMade, rules.size());
  std::string family;
  for (const Rule* rule : rules) {
    if (family_of(rule->id) != family) {
      family = family_of(rule->id);
      out += fmt::format("\n## {}\n| rule | severity | finds | asked about |\n| --- | --- | --- | --- |\n", family);
    }
    std::string title(rule->title);
    for (std::size_t at = 0; (at = title.find('|', at)) != std::string::npos; at += 2) title.insert(at, 1, '\\');
    out += fmt::format("| [{}]({}/{}.md) | {} | {} | {} |\n", name_of(rule->id), family, name_of(rule->id),
                       to_string(rule->severity), title, kinds_of(*rule));
  }
  return out;
}

}  // namespace rollcall::launch
