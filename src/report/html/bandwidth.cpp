#include <fmt/format.h>

#include <algorithm>

#include "report/html/html.h"

namespace rollcall::report::html {
namespace {

/// So many bars have a name and a figure each; more become columns.
constexpr std::size_t kNamedBars = 32;
constexpr std::size_t kListed = 20;
constexpr double kWidth = 1100;

std::string_view class_of(double value, double median) {
  if (value < kBandwidthFail * median) return "f";
  return value < kBandwidthWarn * median ? "a" : "p";
}

/// Room above the highest bar.
double top_of(const BandwidthView& view) {
  return 1.08 * std::max(view.median, *std::max_element(view.values.begin(), view.values.end()));
}

std::string share(double value, double median) { return fmt::format("{:.2f} of the median", value / median); }

std::string bars(const View& view, const BandwidthView& bandwidth) {
  constexpr double kRow = 22;
  std::size_t longest = 4;
  for (const auto& node : view.nodes) longest = std::max(longest, std::min<std::size_t>(node.name.size(), 34));
  const double left = 12 + static_cast<double>(longest) * 7;
  const double right = 180;
  const double scale = (kWidth - left - right) / top_of(bandwidth);
  const double bottom = 22 + kRow * static_cast<double>(bandwidth.values.size());
  std::string out =
      fmt::format("<div class=scroll><svg class=chart viewBox=\"0 0 {} {}\" role=img aria-label=\"bandwidth by node\">",
                  num(kWidth), num(bottom + 6));
  const auto line = [&](double part, const char* text) {
    const double x = left + part * bandwidth.median * scale;
    out += fmt::format("<path class=\"{}\" d=\"M{} 18V{}\"/><text class=mid x={} y=12>{}</text>",
                       part == 1 ? "median" : "limit", num(x), num(bottom), num(x), text);
  };
  line(kBandwidthFail, "0.5");
  line(kBandwidthWarn, "0.85");
  std::string rows;
  for (std::size_t i = 0; i < bandwidth.values.size(); ++i) {
    const double value = bandwidth.values[i];
    const double y = 22 + kRow * static_cast<double>(i);
    std::string name = view.nodes[i].name;
    if (name.size() > 34) name = "…" + name.substr(name.size() - 32);
    rows += fmt::format("<text class=end x={} y={}>{}</text>", num(left - 8), num(y + 14), esc(name));
    if (value <= 0) {
      rows += fmt::format("<text class=quiet x={} y={}>not measured</text>", num(left + 6), num(y + 14));
      continue;
    }
    rows += fmt::format("<rect class={} x={} y={} width={} height=14 rx=2><title>{}: {:.1f} GB/s</title></rect>",
                        class_of(value, bandwidth.median), num(left), num(y + 3), num(value * scale),
                        esc(view.who(static_cast<int>(i))), value);
    rows += fmt::format(
        "<text x={} y={}>{:.1f} GB/s{}</text>", num(left + value * scale + 7), num(y + 14), value,
        value < kBandwidthWarn * bandwidth.median ? fmt::format(" · {:.2f}", value / bandwidth.median) : "");
  }
  out += rows;
  line(1, "median");
  return out + "</svg></div>";
}

/// Columns thinner than this flicker where they meet: then all that is sound is one surface, and only what is below the
/// marks stands out of it, wide enough to be seen.
constexpr double kThinnest = 4;

std::string surface(const BandwidthView& bandwidth, double left, double step, double bottom, double scale) {
  std::string path = fmt::format("M{} {}", num(left), num(bottom));
  for (const double value : bandwidth.values) path += fmt::format("V{}h{}", num(bottom - value * scale), num(step));
  return fmt::format("<path class=p d=\"{}V{}z\"/>", path, num(bottom));
}

std::string columns(const View& view, const BandwidthView& bandwidth) {
  constexpr double kBottom = 210;
  constexpr double kLeft = 58;
  constexpr double kRight = kWidth - 60;
  const double step = (kRight - kLeft) / static_cast<double>(bandwidth.values.size());
  const double scale = (kBottom - 10) / top_of(bandwidth);
  const bool thin = step < kThinnest;
  std::string out =
      fmt::format("<div class=scroll><svg class=chart viewBox=\"0 0 {} {}\" role=img aria-label=\"bandwidth by node\">",
                  num(kWidth), num(kBottom + 24));
  if (thin) out += surface(bandwidth, kLeft, step, kBottom, scale);
  for (std::size_t i = 0; i < bandwidth.values.size(); ++i) {
    const double value = bandwidth.values[i];
    const bool low = value < kBandwidthWarn * bandwidth.median;
    if (value <= 0 || (thin && !low)) continue;
    const double x = kLeft + static_cast<double>(i) * step;
    const double width = thin ? kThinnest : step * 0.82;
    if (thin)
      out += fmt::format("<path class=gap d=\"M{} 10h{}V{}h-{}z\"/>", num(x - 1), num(width), num(kBottom), num(width));
    out += fmt::format("<rect class={} x={} y={} width={} height={}><title>{}: {:.1f} GB/s</title></rect>",
                       class_of(value, bandwidth.median), num(thin ? x - 1 : x), num(kBottom - value * scale),
                       num(width), num(value * scale), esc(view.name_of(static_cast<int>(i))), value);
  }
  const auto line = [&](double part, const char* text) {
    const double y = kBottom - part * bandwidth.median * scale;
    out += fmt::format(
        "<path class=\"{}\" d=\"M{} {}H{}\"/><text x={} y={}>{}</text><text class=end x={} y={}>{:.0f}</text>",
        part == 1 ? "median" : "limit", num(kLeft), num(y), num(kRight), num(kRight + 5), num(y + 4), text,
        num(kLeft - 6), num(y + 4), part * bandwidth.median);
  };
  line(1, "median");
  line(kBandwidthWarn, "0.85");
  line(kBandwidthFail, "0.5");
  return out + fmt::format(
                   "<path class=axis d=\"M{0} {1}H{2}\"/><text x={0} y={3}>node rank 0</text>"
                   "<text class=end x={2} y={3}>node rank {4}</text></svg></div>",
                   num(kLeft), num(kBottom), num(kRight), num(kBottom + 18), bandwidth.values.size() - 1);
}

std::string list_of_below(const View& view, const BandwidthView& bandwidth) {
  if (bandwidth.below.empty()) return "<p class=note>No node is below 0.85 of the median.</p>";
  std::string out = "<ul class=reasons>";
  for (std::size_t i = 0; i < std::min(bandwidth.below.size(), kListed); ++i) {
    const int rank = bandwidth.below[i];
    const double value = bandwidth.values[static_cast<std::size_t>(rank)];
    out +=
        fmt::format("<li><b>{}</b> {:.1f} GB/s, {}</li>", esc(view.who(rank)), value, share(value, bandwidth.median));
  }
  if (bandwidth.below.size() > kListed) out += fmt::format("<li>and {} more</li>", bandwidth.below.size() - kListed);
  return out + "</ul>";
}

}  // namespace

std::string bandwidth(const View& view) {
  if (view.bandwidths.empty()) return "";
  std::string out =
      "<section class=card><h2>Bus bandwidth by node</h2><p class=note>A short test before the job: for comparing "
      "nodes, "
      "not with published figures. The slowest GPU of a node counts.</p>";
  for (const auto& each : view.bandwidths) {
    out += fmt::format("<h3>{} <small>median {:.1f} GB/s</small></h3>", each.title, each.median);
    out += each.values.size() <= kNamedBars ? bars(view, each) : columns(view, each) + list_of_below(view, each);
  }
  return out + "</section>";
}

}  // namespace rollcall::report::html
