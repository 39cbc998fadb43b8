#include <fmt/format.h>

#include <algorithm>

#include "report/html/html.h"

namespace rollcall::report::html {
namespace {

/// Above so many nodes a row each would hide what is wrong: exceptions, then rows of equal nodes.
constexpr std::size_t kAllNodes = 64;
constexpr std::size_t kExceptions = 60;
constexpr std::size_t kLikeRows = 12;

std::string legend() {
  std::string out = "<p class=legend>";
  for (const char letter : {'P', 'F', 'S', 'R', 'W'})
    out +=
        fmt::format("<span><i class=\"cell {}\">{}</i>{}</span>", css_class(letter), glyph(letter), state_word(letter));
  return out + "</p>";
}

std::string took(const api::StageLine& stage) {
  if (stage.state != "Passed" && stage.state != "Failed") return "";
  return stage.seconds < 9.95 ? fmt::format("{:.1f} s", stage.seconds) : fmt::format("{:.0f} s", stage.seconds);
}

std::string table_head(const View& view, bool details) {
  std::string out = "<thead><tr><th class=n>Node</th><th class=k>Ranks</th>";
  for (const auto& stage : view.stages) {
    const std::string why = stage.reason.empty() ? "" : ": " + stage.reason;
    out += fmt::format("<th class=v title=\"{}\"><span>{}</span></th>", esc(stage.name + " " + stage.state + why),
                       esc(stage_title(stage.name)));
  }
  out +=
      fmt::format("<th>{}</th></tr><tr class=all><th class=n>All nodes</th><th class=k></th>", details ? "State" : "");
  for (const auto& stage : view.stages) {
    const char letter = stage.state.empty() ? 'W' : stage.state.front();
    out += fmt::format(
        "<td class=\"cell {}\" title=\"{}\">{}<small>{}</small></td>", css_class(letter),
        esc(stage_title(stage.name) + ": " + stage.state + (stage.reason.empty() ? "" : ", " + stage.reason)),
        glyph(letter), took(stage));
  }
  return out + "<td class=d></td></tr></thead>";
}

std::string cells(const View& view, const std::string& letters) {
  std::string out;
  for (std::size_t i = 0; i < view.stages.size(); ++i) {
    if (i >= letters.size()) {
      out += "<td class=\"cell w\"></td>";
      continue;
    }
    out += fmt::format("<td class=\"cell {}\" title=\"{}: {}\">{}</td>", css_class(letters[i]),
                       esc(stage_title(view.stages[i].name)), state_word(letters[i]), glyph(letters[i]));
  }
  return out;
}

bool bad_state(const std::string& state) { return state == "Failed" || state == "Lost" || state == "Mute"; }

std::string node_row(const View& view, const NodeView& node) {
  return fmt::format(
      "<tr><th class=n title=\"{}\">{}</th><td class=k>{}</td>{}<td class=d title=\"{}\"><b class=\"{}\">{}</b> "
      "{}</td></tr>",
      esc(fmt::format("node rank {}, pod {}", node.rank, node.pod)), esc(node.name), esc(node.ranks),
      cells(view, node.letters), esc(node.detail), bad_state(node.state) ? "bad" : "", esc(node.state),
      esc(node.detail));
}

char worst_of(const NodeView& node) {
  if (bad_state(node.state)) return 'F';
  for (const char letter : {'F', 'R', 'W'}) {
    if (node.letters.find(letter) != std::string::npos) return letter;
  }
  return node.letters.empty() ? 'W' : 'P';
}

/// Every node as a square: where in the job the bad ones are.
std::string floor_plan(const View& view) {
  constexpr std::size_t kColumns = 64;
  constexpr double kStep = 17;
  const std::size_t rows = (view.nodes.size() + kColumns - 1) / kColumns;
  std::string out = fmt::format(
      "<h3>Every node, by node rank from the top left</h3><svg class=floor viewBox=\"0 0 {} {}\" role=img "
      "aria-label=\"every node as a square\">",
      num(kColumns * kStep), num(static_cast<double>(rows) * kStep));
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    const char letter = worst_of(view.nodes[i]);
    out +=
        fmt::format("<rect class={} x={} y={} width=15 height=15 rx=3><title>{}: {}</title></rect>", css_class(letter),
                    num(static_cast<double>(i % kColumns) * kStep), num(static_cast<double>(i / kColumns) * kStep),
                    esc(view.who(static_cast<int>(i))), state_word(letter));
    if (letter == 'F')
      out +=
          fmt::format("<path class=x d=\"M{} {}l7 7m0 -7l-7 7\"/>", num(static_cast<double>(i % kColumns) * kStep + 4),
                      num(static_cast<double>(i / kColumns) * kStep + 4));
  }
  return out + "</svg>";
}

std::string many(const View& view) {
  std::string rows;
  std::size_t shown = 0;
  std::size_t exceptions = 0;
  for (const auto& node : view.nodes) {
    const bool odd = bad_state(node.state) || worst_of(node) == 'F' ||
                     (!node.state.empty() && node.state != "Answered" && node.state != "Passed");
    if (!odd) continue;
    ++exceptions;
    if (shown >= kExceptions) continue;
    ++shown;
    rows += node_row(view, node);
  }
  std::string out = floor_plan(view);
  if (shown > 0) {
    out += fmt::format(
        "<h3>Nodes that need attention{}</h3><div class=scroll><table class=grid>{}<tbody>{}</tbody></table></div>",
        shown < exceptions ? fmt::format(", {} of {}", shown, exceptions) : "", table_head(view, true), rows);
  }
  const auto alike = like_nodes(view);
  out += fmt::format("<h3>Nodes in equal state</h3><div class=scroll><table class=grid>{}<tbody>",
                     table_head(view, false));
  std::size_t more = 0;
  std::size_t rest = 0;
  for (std::size_t i = 0; i < alike.size(); ++i) {
    // The most frequent stand last and are always shown.
    if (i >= kLikeRows && i + 2 < alike.size()) {
      ++more;
      rest += alike[i].ranks.size();
      continue;
    }
    const auto& ranks = alike[i].ranks;
    std::string names;
    for (std::size_t k = 0; k < std::min<std::size_t>(ranks.size(), 4); ++k)
      names += (k == 0 ? "" : ", ") + view.name_of(ranks[k]);
    if (ranks.size() > 4) names += ", …";
    out +=
        fmt::format("<tr><th class=n>{} {}</th><td class=k></td>{}<td class=d title=\"{}\">{}</td></tr>", ranks.size(),
                    ranks.size() == 1 ? "node" : "nodes", cells(view, alike[i].letters), esc(names), esc(names));
  }
  if (more > 0)
    out += fmt::format(
        "<tr><th class=n>{} nodes</th><td class=k></td><td colspan={} class=d>in {} further states</td></tr>", rest,
        view.stages.size() + 1, more);
  return out + "</tbody></table></div>";
}

}  // namespace

std::string grid(const View& view) {
  if (view.stages.empty() || view.nodes.empty()) return "";
  std::string out = "<section class=card><h2>Nodes by stages</h2>" + legend();
  if (view.nodes.size() > kAllNodes) return out + many(view) + "</section>";
  out += "<div class=scroll><table class=grid>" + table_head(view, true) + "<tbody>";
  for (const auto& node : view.nodes) out += node_row(view, node);
  out += "</tbody></table></div>";
  std::string reasons;
  for (const auto& stage : view.stages) {
    if (stage.state == "Skipped" && !stage.reason.empty())
      reasons += fmt::format("<li><b>{}</b> was skipped: {}</li>", esc(stage_title(stage.name)), esc(stage.reason));
  }
  if (!reasons.empty()) out += "<ul class=reasons>" + reasons + "</ul>";
  return out + "</section>";
}

}  // namespace rollcall::report::html
