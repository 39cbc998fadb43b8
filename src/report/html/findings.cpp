#include <fmt/format.h>

#include "report/html/html.h"

namespace rollcall::report::html {
namespace {

/// Shown open; the rest is folded.
constexpr std::size_t kOpen = 12;
constexpr std::size_t kNodes = 8;

std::string_view kind_of(const std::string& severity) {
  if (severity == "fail") return "f";
  return severity == "warn" ? "a" : "s";
}

const char* word_of(const std::string& severity) {
  if (severity == "fail") return "fail";
  return severity == "warn" ? "warn" : "info";
}

std::string nodes_of(const View& view, const std::vector<int>& ranks) {
  std::string out;
  for (std::size_t i = 0; i < std::min(ranks.size(), kNodes); ++i)
    out += fmt::format("<span class=chip title=\"{}\">{}</span>", esc(view.who(ranks[i])), esc(view.name_of(ranks[i])));
  if (ranks.size() > kNodes) out += fmt::format("<span class=more>and {} more</span>", ranks.size() - kNodes);
  return out;
}

std::string item(const View& view, const api::NodeFinding& finding) {
  return fmt::format(
      "<li><span class=\"tag {}\">{}</span><div><p class=rule><code>{}</code>{} {}</p><p>{}</p></div></li>",
      kind_of(finding.severity), word_of(finding.severity), esc(finding.rule),
      finding.owner.empty() ? "" : fmt::format(" <span class=owner>owner: {}</span>", esc(finding.owner)),
      nodes_of(view, finding.node_ranks), esc(finding.message));
}

}  // namespace

std::string findings(const View& view) {
  const auto& all = view.roll_call->status.findings;
  if (all.empty()) return "";
  std::string out =
      fmt::format("<section class=card><h2>Findings <small>{}</small></h2><ul class=findings>", all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == kOpen)
      out += fmt::format("</ul><details><summary>{} more</summary><ul class=findings>", all.size() - kOpen);
    out += item(view, all[i]);
  }
  out += all.size() > kOpen ? "</ul></details>" : "</ul>";
  return out + "</section>";
}

}  // namespace rollcall::report::html
