#include <fmt/format.h>

#include <algorithm>

#include "report/html/html.h"

namespace rollcall::report::html {
namespace {

constexpr std::size_t kNames = 6;

struct Kind {
  std::string what;
  std::vector<const api::ReportGroup*> groups;  ///< the majority first
  bool agrees() const { return groups.size() == 1; }
};

std::string names_of(const View& view, const api::ReportGroup& group) {
  std::string out;
  for (std::size_t i = 0; i < std::min(group.node_ranks.size(), kNames); ++i)
    out += fmt::format("<span class=chip title=\"{}\">{}</span>", esc(view.who(group.node_ranks[i])),
                       esc(view.name_of(group.node_ranks[i])));
  const auto count = static_cast<std::size_t>(std::max(group.count, 0));
  if (count > std::min(group.node_ranks.size(), kNames))
    out += fmt::format("<span class=more>and {} more</span>", count - std::min(group.node_ranks.size(), kNames));
  return out;
}

std::string row(const View& view, const Kind& kind) {
  std::string out = fmt::format("<tr class=\"{}\"><th>{}</th><td>", kind.agrees() ? "" : "odd", esc(kind.what));
  for (const auto* group : kind.groups) {
    out += fmt::format("<div class=\"{}\">{}<b>{}</b> <small>{} {}</small> {}</div>", group->minority ? "minor" : "",
                       group->minority ? "<span class=\"tag a\">minority</span> " : "", esc(group->value), group->count,
                       group->count == 1 ? "node" : "nodes", group->minority ? names_of(view, *group) : "");
  }
  return out + "</td></tr>";
}

}  // namespace

std::string versions(const View& view) {
  std::vector<Kind> kinds;
  for (const auto& group : view.report.groups) {
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& each) { return each.what == group.what; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), Kind{group.what, {}});
    kind->groups.push_back(&group);
  }
  if (kinds.empty()) return "";
  std::stable_partition(kinds.begin(), kinds.end(), [](const Kind& each) { return !each.agrees(); });
  const auto odd = std::count_if(kinds.begin(), kinds.end(), [](const Kind& each) { return !each.agrees(); });
  std::string out =
      fmt::format("<section class=card><h2>What the nodes have <small>{}</small></h2><table class=versions><tbody>",
                  odd == 0 ? "the same everywhere" : fmt::format("{} differ", odd));
  for (const auto& kind : kinds) out += row(view, kind);
  return out + "</tbody></table></section>";
}

}  // namespace rollcall::report::html
