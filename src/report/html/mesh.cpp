#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/html/html.h"

namespace rollcall::report::html {
namespace {

/// A square below 9 px cannot be hit by a mouse; 64 of them are as wide as the page.
constexpr std::size_t kMaxSide = 64;
constexpr std::size_t kNamed = 40;
/// Beside the square; the rest is folded.
constexpr std::size_t kListed = 14;

/// What a cell shows; `kind` is its class: t0 … t4 by time, f failed, a slow or lossy, n not an exception.
struct Cell {
  std::string kind;
  std::string title;
  const char* mark = "";
};
using Cells = std::map<std::pair<int, int>, Cell>;

/// Rows and columns of a matrix, as node ranks.
std::string square(const View& view, const std::vector<int>& ranks, const Cells& cells, const char* label) {
  const auto n = static_cast<double>(ranks.size());
  const double step = std::clamp(620.0 / n, 10.0, 46.0);
  const bool named = ranks.size() <= kNamed;
  std::size_t longest = 0;
  for (const int rank : ranks) longest = std::max(longest, std::min<std::size_t>(view.name_of(rank).size(), 22));
  const double left = named ? 14 + static_cast<double>(longest) * 6.4 : 34;
  const double top = named ? 14 + static_cast<double>(longest) * 4.6 : 24;
  const double size = std::min(step - 1.5, 44.0);
  std::string out =
      fmt::format("<svg class=matrix style=\"max-width:{}px\" viewBox=\"0 0 {} {}\" role=img aria-label=\"{}\">",
                  num(left + n * step + (named ? top * 0.7 : 14)), num(left + n * step + (named ? top * 0.7 : 14)),
                  num(top + n * step + 4), label);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double at = (static_cast<double>(i) + 0.5) * step;
    if (!named && i % 8 != 0 && i + 1 != ranks.size()) continue;
    std::string name = named ? view.name_of(ranks[i]) : std::to_string(ranks[i]);
    if (name.size() > 22) name = "…" + name.substr(name.size() - 20);
    out += fmt::format("<text x={} y={} class=end>{}</text>", num(left - 7), num(top + at + 4), esc(name));
    out += named ? fmt::format("<text transform=\"translate({} {}) rotate(-45)\">{}</text>", num(left + at + 2),
                               num(top - 6), esc(name))
                 : fmt::format("<text x={} y={} class=mid>{}</text>", num(left + at), num(top - 7), esc(name));
  }
  for (std::size_t from = 0; from < ranks.size(); ++from) {
    for (std::size_t to = 0; to < ranks.size(); ++to) {
      const double x = left + static_cast<double>(to) * step;
      const double y = top + static_cast<double>(from) * step;
      if (from == to) {
        out += fmt::format("<path class=self d=\"M{} {}l{} {}\"/>", num(x), num(y), num(size), num(size));
        continue;
      }
      const auto found = cells.find({ranks[from], ranks[to]});
      if (found == cells.end()) {
        out += fmt::format("<rect class=n x={} y={} width={} height={} rx=2 />", num(x), num(y), num(size), num(size));
        continue;
      }
      const Cell& cell = found->second;
      out += fmt::format("<rect class={} x={} y={} width={} height={} rx=2><title>{} → {}: {}</title></rect>",
                         cell.kind, num(x), num(y), num(size), num(size), esc(view.name_of(ranks[from])),
                         esc(view.name_of(ranks[to])), esc(cell.title));
      if (cell.mark[0] != '\0')
        out += fmt::format("<text class=\"mark {}\" x={} y={} style=\"font-size:{}px\">{}</text>", cell.kind,
                           num(x + size / 2), num(y + size / 2), num(std::min(size * 0.75, 16.0)), cell.mark);
    }
  }
  return out + "</svg>";
}

/// Times by their distance from the median.
constexpr double kSteps[] = {1.25, 1.75, 2.5, 5};

std::string time_class(double milliseconds, double median) {
  std::size_t step = 0;
  while (step < std::size(kSteps) && median > 0 && milliseconds > kSteps[step] * median) ++step;
  return fmt::format("t{}", step);
}

std::string key(const char* kind, const std::string& text, const char* mark = "") {
  return fmt::format("<span><i class=\"cell {}\">{}</i>{}</span>", kind, mark, text);
}

std::string time_legend(double median) {
  std::string out = "<p class=legend>" + key("f", "failed", "✗");
  if (median <= 0) return out + key("n", "not tried") + "</p>";
  double from = 0;
  for (std::size_t i = 0; i <= std::size(kSteps); ++i) {
    const bool last = i == std::size(kSteps);
    const double to = last ? 0 : kSteps[i] * median;
    out += key(fmt::format("t{}", i).c_str(),
               last ? fmt::format("above {:.1f} ms", from) : fmt::format("to {:.1f} ms", to));
    from = to;
  }
  return out + key("a", "slow or losing packets", "!") + key("n", "not tried") + "</p>";
}

bool is_collective(const api::ReportPair& pair) { return pair.state.rfind("Collective", 0) == 0; }
bool is_mild(const api::ReportPair& pair) { return pair.state == "Slow" || pair.state == "Lossy"; }

std::string words_of(const api::ReportPair& pair) {
  std::string out = pair.state;
  if (pair.milliseconds > 0) out += fmt::format(", {:.1f} ms", pair.milliseconds);
  if (pair.gigabytes > 0) out += fmt::format(", {:.1f} GB/s", pair.gigabytes);
  return pair.text.empty() ? out : out + ", " + pair.text;
}

std::string pair_list(const View& view, std::vector<const api::ReportPair*> pairs) {
  if (pairs.empty()) return "";
  std::stable_partition(pairs.begin(), pairs.end(), [](const auto* each) { return each->state != "CollectiveOk"; });
  std::string rows;
  std::size_t shown = 0;
  std::string out;
  for (const auto* pair : pairs) {
    if (shown++ == kListed) {
      out = rows;
      rows.clear();
    }
    rows += fmt::format(
        "<tr><td>{}</td><td class=k>→</td><td>{}</td><td><b class=\"{}\">{}</b></td><td>{}</td></tr>",
        esc(view.name_of(pair->from)), esc(view.name_of(pair->to)),
        is_mild(*pair)                  ? "warn"
        : pair->state == "CollectiveOk" ? ""
                                        : "bad",
        esc(pair->state),
        esc((pair->milliseconds > 0 && is_mild(*pair) ? fmt::format("{:.1f} ms; ", pair->milliseconds) : "") +
            (pair->gigabytes > 0 ? fmt::format("{:.1f} GB/s ", pair->gigabytes) : "") + pair->text));
  }
  const auto table = [](const std::string& body) { return "<table class=pairs><tbody>" + body + "</tbody></table>"; };
  if (shown <= kListed) return table(rows);
  return table(out) +
         fmt::format("<details><summary>{} more pairs</summary>{}</details>", shown - kListed, table(rows));
}

std::string beside(const std::string& square, const std::string& list) {
  return list.empty() ? square : "<div class=side>" + square + "<div>" + list + "</div></div>";
}

/// The nodes that are in most pairs, in the order of their ranks: what fits into a square.
std::vector<int> involved(const std::vector<const api::ReportPair*>& pairs) {
  std::map<int, std::size_t> count;
  for (const auto* pair : pairs) {
    ++count[pair->from];
    ++count[pair->to];
  }
  std::vector<std::pair<std::size_t, int>> order;
  for (const auto& [rank, times] : count) order.emplace_back(times, rank);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<int> ranks;
  for (std::size_t i = 0; i < std::min(order.size(), kMaxSide); ++i) ranks.push_back(order[i].second);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

std::string mesh(const View& view) {
  std::vector<const api::ReportPair*> pairs;
  for (const auto& pair : view.report.pairs) {
    if (!is_collective(pair)) pairs.push_back(&pair);
  }
  Cells cells;
  std::vector<int> ranks;
  if (!view.matrix.empty()) {
    for (std::size_t from = 0; from < view.matrix.size(); ++from) {
      ranks.push_back(static_cast<int>(from));
      for (std::size_t to = 0; to < view.matrix.size(); ++to) {
        const CellView& cell = view.matrix[from][to];
        if (cell.kind == CellView::Kind::none) continue;
        const bool failed = cell.kind == CellView::Kind::failed;
        cells[{static_cast<int>(from), static_cast<int>(to)}] = {
            failed ? "f" : time_class(cell.milliseconds, view.median_ms),
            failed ? "failed" : fmt::format("{:.1f} ms", cell.milliseconds), failed ? "✗" : ""};
      }
    }
  } else {
    ranks = involved(pairs);
  }
  if (ranks.empty()) return "";
  for (const auto* pair : pairs) {
    Cell& cell = cells[{pair->from, pair->to}];
    if (is_mild(*pair) && cell.kind == "f") continue;
    cell = {is_mild(*pair) ? "a" : "f", words_of(*pair), is_mild(*pair) ? "!" : "✗"};
  }
  std::string out = "<section class=card><h2>Connections between nodes</h2>";
  out += view.matrix.empty()
             ? fmt::format(
                   "<p class=note>Only pairs that are not as the others are: {} of them, among {} of {} nodes{}.</p>",
                   pairs.size(), ranks.size(), view.nodes.size(), pairs.size() >= 500 ? " (no more are kept)" : "")
             : "<p class=note>Each row opened a connection to each column and moved data both ways.</p>";
  out += view.matrix.empty() ? "<p class=legend>" + key("f", "failed", "✗") + key("a", "slow or losing packets", "!") +
                                   key("n", "nothing to tell") + "</p>"
                             : time_legend(view.median_ms);
  return out +
         beside(square(view, ranks, cells, "connections, a row opened one to each column"), pair_list(view, pairs)) +
         "</section>";
}

std::string pair_collectives(const View& view) {
  std::vector<const api::ReportPair*> pairs;
  for (const auto& pair : view.report.pairs) {
    if (is_collective(pair)) pairs.push_back(&pair);
  }
  if (pairs.empty()) return "";
  double best = 0;
  for (const auto* pair : pairs) best = std::max(best, pair->gigabytes);
  Cells cells;
  for (const auto* pair : pairs) {
    const bool failed = pair->state != "CollectiveOk";
    // Slower is darker, as with times: quarters of the best pair.
    const int step =
        best > 0 && pair->gigabytes > 0 ? std::clamp(static_cast<int>((1 - pair->gigabytes / best) * 5), 0, 4) : 0;
    const Cell cell{failed ? "f" : fmt::format("t{}", step), words_of(*pair), failed ? "✗" : ""};
    cells[{pair->from, pair->to}] = cell;
    cells[{pair->to, pair->from}] = cell;
  }
  const auto ranks = involved(pairs);
  std::string out =
      "<section class=card><h2>Collectives in pairs</h2><p class=note>Two nodes at a time, to find which of them the "
      "job-wide collective failed at.</p><p class=legend>" +
      key("f", "failed", "✗");
  if (best > 0)
    out += key("t0", fmt::format("near {:.1f} GB/s", best)) + key("t4", fmt::format("below {:.1f} GB/s", best / 5));
  else
    out += key("t0", "passed");
  out += key("n", "not tried") + "</p>";
  return out + beside(square(view, ranks, cells, "collectives in pairs"), pair_list(view, pairs)) + "</section>";
}

}  // namespace rollcall::report::html
