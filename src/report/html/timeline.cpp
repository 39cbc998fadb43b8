#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html/html.h"

namespace rollcall::report::html {
namespace {

constexpr double kWidth = 1100;
constexpr double kLeft = 190;
constexpr double kRight = 70;
constexpr double kRow = 24;

struct Bar {
  std::string label;
  std::string kind;  ///< class: sched, start, pull, wait, stage, bad, skip, held
  double from = 0;   ///< seconds since the first moment
  double seconds = 0;
  bool open = false;  ///< still goes on
  std::string title;
  std::vector<std::pair<double, double>> parts;  ///< thin lines of single nodes: from, seconds
};

std::string length(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  return duration_words(std::chrono::milliseconds{static_cast<std::int64_t>(std::min(seconds, 1e9) * 1000)});
}

/// Distance of ticks so that there are at most ten.
double tick_of(double span) {
  constexpr double kTicks[] = {0.1, 0.2, 0.5, 1,    2,    5,    10,   20,    30,    60,
                               120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400};
  for (const double each : kTicks) {
    if (span / each <= 10) return each;
  }
  return span / 10;
}

std::string tick_words(double seconds) {
  if (seconds == 0) return "0";
  if (seconds < 1) return fmt::format("{:.1f} s", seconds);
  return duration_words(std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)});
}

const char* start_kind(const std::string& kind) {
  if (kind == "Scheduling") return "sched";
  if (kind == "Starting") return "start";
  return kind == "Pulling" ? "pull" : nullptr;
}

const char* start_label(const std::string& kind) {
  if (kind == "Scheduling") return "Finding places";
  return kind == "Starting" ? "Starting pods" : "Pulling the image";
}

std::string stage_kind(const View& view, const std::string& name) {
  for (const auto& stage : view.stages) {
    if (stage.name != name) continue;
    if (stage.state == "Failed") return "bad";
    if (stage.state == "Skipped") return "skip";
  }
  return name == "Gathering" ? "wait" : "stage";
}

std::vector<Bar> bars_of(const View& view, WallTime first, WallTime last) {
  std::vector<Bar> bars;
  const auto since = [&](WallTime time) { return std::chrono::duration<double>(time - first).count(); };
  for (const auto& moment : view.report.timeline) {
    const auto at = rfc3339_from(moment.at);
    if (!at) continue;
    const double seconds = std::clamp(moment.seconds, 0.0, 1e9);
    if (const char* kind = start_kind(moment.kind)) {
      if (moment.node_rank < 0) {
        bars.push_back({start_label(moment.kind), kind, since(*at), seconds, false, moment.what, {}});
      } else if (!bars.empty() && bars.back().kind == kind) {
        bars.back().parts.emplace_back(since(*at), seconds);
        if (seconds > 0 && bars.back().title.size() < 400)
          bars.back().title += fmt::format("; {} {}", view.name_of(moment.node_rank), length(seconds));
      }
      continue;
    }
    const bool open = seconds == 0 && since(last) - since(*at) > 0;
    if (moment.kind == "Stage") {
      const auto stage = std::find_if(view.stages.begin(), view.stages.end(),
                                      [&](const auto& each) { return each.name == moment.what; });
      const bool runs = stage != view.stages.end() && stage->state == "Running";
      bars.push_back({moment.what == "Gathering" ? "Waiting for every node" : stage_title(moment.what),
                      stage_kind(view, moment.what),
                      since(*at),
                      runs ? since(last) - since(*at) : seconds,
                      runs,
                      "",
                      {}});
    } else if (moment.kind == "Held") {
      bars.push_back({"Held", "held", since(*at), open ? since(last) - since(*at) : seconds, open, "", {}});
    }
  }
  return bars;
}

/// Holds of one attempt in one row; their sum is told.
std::vector<Bar> holds_together(std::vector<Bar> bars) {
  std::vector<Bar> out;
  Bar holds{"Held", "held", 0, 0, false, "", {}};
  for (auto& bar : bars) {
    if (bar.kind != "held") {
      out.push_back(std::move(bar));
      continue;
    }
    holds.parts.emplace_back(bar.from, bar.seconds);
    holds.seconds += bar.seconds;
    holds.open = holds.open || bar.open;
  }
  if (!holds.parts.empty()) out.push_back(std::move(holds));
  return out;
}

/// A hold of an hour would press the 40 s before it into nothing: then the line ends soon after the last stage, and
/// what goes on beyond is cut there and told in words.
double shown_span(const std::vector<Bar>& bars, double whole) {
  double end = 0;
  for (const auto& bar : bars) {
    if (bar.kind != "held") end = std::max(end, bar.from + bar.seconds);
  }
  return end > 0 && end < whole * 0.5 ? std::max(1.0, end * 1.5) : whole;
}

std::string draw(const Bar& bar, double y, double scale, double span) {
  std::string out = fmt::format("<text class=end x={} y={}>{}</text>", num(kLeft - 10), num(y + 15), esc(bar.label));
  const auto rect = [&](double from, double seconds, double top, double height, const std::string& kind) {
    if (from >= span) return;
    seconds = std::min(seconds, span - from);
    out += fmt::format("<rect class=\"{}\" x={} y={} width={} height={} rx=2><title>{}: {}{}</title></rect>", kind,
                       num(kLeft + from * scale), num(y + top), num(std::max(2.0, seconds * scale)), num(height),
                       esc(bar.label), length(bar.parts.size() == 1 || bar.kind != "held" ? bar.seconds : seconds),
                       bar.title.empty() ? "" : " (" + esc(bar.title) + ")");
  };
  double end = 0;
  if (bar.kind == "held") {
    for (const auto& [from, seconds] : bar.parts) {
      rect(from, seconds, 4, 14, "held");
      end = std::max(end, from + seconds);
    }
  } else {
    rect(bar.from, bar.seconds, bar.parts.empty() ? 4 : 3, bar.parts.empty() ? 14 : 9, bar.kind);
    end = bar.from + bar.seconds;
    // Each node's own, thin, below the span of all.
    std::string path;
    for (const auto& [from, seconds] : bar.parts)
      path += fmt::format("M{} {}h{}", num(kLeft + from * scale), num(y + 16), num(std::max(1.0, seconds * scale)));
    if (!path.empty()) out += fmt::format("<path class=\"each {}\" d=\"{}\"/>", bar.kind, path);
  }
  const bool cut = end > span * 1.001;
  end = std::min(end, span);
  const double text_at = kLeft + end * scale + 7;
  const std::string words = length(bar.seconds) + (bar.open ? " so far" : "") + (cut ? " »" : "");
  const bool fits = text_at + static_cast<double>(words.size()) * 6.6 < kWidth;
  out += fmt::format("<text class=\"{}\" x={} y={}>{}</text>", fits ? "quiet" : "end in",
                     num(fits ? text_at : kLeft + end * scale - 6), num(y + 15), words);
  return out;
}

}  // namespace

std::string timeline(const View& view, WallTime now) {
  std::optional<WallTime> first;
  WallTime last{};
  const auto& status = view.roll_call->status;
  const auto end = status.verdict ? rfc3339_from(status.verdict->at) : std::optional<WallTime>(now);
  for (const auto& moment : view.report.timeline) {
    const auto at = rfc3339_from(moment.at);
    if (!at) continue;
    first = first ? std::min(*first, *at) : *at;
    const auto length_ms =
        std::chrono::milliseconds{static_cast<std::int64_t>(std::clamp(moment.seconds, 0.0, 1e9) * 1000)};
    last = std::max(last, *at + length_ms);
  }
  if (!first) return "";
  if (end) last = std::max(last, *end);
  const auto bars = holds_together(bars_of(view, *first, last));
  const double whole = std::max(1.0, std::chrono::duration<double>(last - *first).count());
  const double span = shown_span(bars, whole);
  const double scale = (kWidth - kLeft - kRight) / span;
  const double bottom = 24 + kRow * static_cast<double>(bars.size());
  std::string out =
      fmt::format("<section class=card><h2>Timeline <small>from {}</small></h2><p class=legend>", rfc3339(*first));
  for (const auto& [kind, text] : {std::pair{"sched", "scheduling"},
                                   {"start", "starting"},
                                   {"pull", "image pull"},
                                   {"wait", "waiting for nodes"},
                                   {"stage", "stages"},
                                   {"bad", "a stage that failed"},
                                   {"held", "held"}})
    out += fmt::format("<span><i class=\"swatch {}\"></i>{}</span>", kind, text);
  out += fmt::format("</p><div class=scroll><svg class=chart viewBox=\"0 0 {} {}\" role=img aria-label=timeline>",
                     num(kWidth), num(bottom + 4));
  const double tick = tick_of(span);
  for (double at = 0; at <= span + tick * 0.001; at += tick)
    out += fmt::format("<path class=axis d=\"M{0} 18V{1}\"/><text class=\"mid quiet\" x={0} y=12>{2}</text>",
                       num(kLeft + at * scale), num(bottom), tick_words(at));
  double y = 22;
  for (const auto& bar : bars) {
    out += draw(bar, y, scale, span);
    y += kRow;
  }
  if (status.verdict && end && std::chrono::duration<double>(*end - *first).count() <= span) {
    const double x = kLeft + std::chrono::duration<double>(*end - *first).count() * scale;
    out += fmt::format("<path class=\"median\" d=\"M{} 18V{}\"><title>{}</title></path>", num(x), num(bottom),
                       to_string(status.verdict->kind));
  }
  return out + "</svg></div><p class=note>Kubelets tell whole seconds. Thin lines are single nodes" +
         (view.nodes.size() > 64 ? std::string(", the slowest ones") : std::string()) + ".</p></section>";
}

}  // namespace rollcall::report::html
