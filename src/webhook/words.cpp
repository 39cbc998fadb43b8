#include "webhook/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"

namespace rollcall::webhook {
namespace {

/// `finding` in at most `most` bytes. What is left out goes first the fix, then the end of the message; path and rule
/// stay, for they say where to look and what to look up.
std::string within(const Finding& finding, std::size_t most) {
  std::string whole = printable(sentence(finding));
  if (whole.size() <= most) return whole;
  Finding shorter = finding;
  shorter.fix.clear();
  if (std::string text = printable(sentence(shorter)); text.size() <= most) return text;
  const std::string rule = " … [" + finding.rule + "]";
  const std::string head =
      printable(finding.place.path.empty() ? finding.message : finding.place.path + ": " + finding.message);
  return clipped(head, most - std::min(most, rule.size())) + rule;
}

}  // namespace

std::string refusal(const ObjectName& object, const Findings& denials) {
  std::string name = object.name;
  if (!object.namespace_name.empty()) name = object.namespace_name + "/" + name;
  std::string out = denials.size() == 1 ? fmt::format("{} {} cannot work:", object.kind, printable(name))
                                        : fmt::format("{} {} cannot work, for {} reasons:", object.kind,
                                                      printable(name), denials.size());
  std::size_t lines = 0;
  for (const Finding& finding : denials) {
    std::string line = within(finding, kLineBytes);
    if (lines == kRefusalLines || out.size() + line.size() > kRefusalBytes) break;
    out += "\n- " + std::move(line);
    ++lines;
  }
  if (lines < denials.size()) out += fmt::format("\nand {} more: `rollcall lint` shows all", denials.size() - lines);
  return out;
}

std::vector<std::string> warnings(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) {
    if (out.size() == kWarnings) {
      out.push_back(fmt::format("and {} more: `rollcall lint` shows all", findings.size() - kWarnings));
      break;
    }
    out.push_back(within(finding, kWarningBytes));
  }
  return out;
}

std::string audit_text(const std::vector<std::string>& entries) {
  std::string out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string entry = clipped(entries[i], 512);
    if (out.size() + entry.size() > kAuditBytes) {
      out += fmt::format("; and {} more", entries.size() - i);
      break;
    }
    out += (out.empty() ? "" : "; ") + entry;
  }
  return out;
}

}  // namespace rollcall::webhook
