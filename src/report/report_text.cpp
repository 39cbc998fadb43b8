#include "report/report_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "report/table.h"
#include "report/text_parts.h"
#include "report/view.h"

namespace rollcall::report {
namespace {

/// What a screen holds of each kind; the JSON form has all.
constexpr std::size_t kPairs = 20;
constexpr std::size_t kNodes = 10;
constexpr std::size_t kNames = 5;

std::string advice(const View& view, WallTime now, std::size_t width) {
  if (!view.report.advice) return "";
  const auto& given = *view.report.advice;
  const auto since = rfc3339_from(given.since);
  std::string out = "\n" + text::labelled("What", given.what, width);
  if (since)
    out += text::labelled("Since", fmt::format("{} ({} ago)", given.since, duration_words(now - *since)), width);
  out += text::labelled("Cost", given.cost, width) + text::labelled("Owner", given.owner, width);
  if (!given.next_command.empty()) out += text::command("Next", given.next_command);
  return out + text::labelled("Override", given.override_safe, width);
}

std::string equipment(const View& view, std::size_t width) {
  const std::string out =
      text::labelled("GPUs", view.report.gpus, width) + text::labelled("Transport", view.report.transport, width);
  return out.empty() ? "" : "\n" + out;
}

std::string names(const View& view, const std::vector<int>& ranks, std::size_t count) {
  std::string out;
  const std::size_t shown = std::min(ranks.size(), kNames);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += ", ";
    out += view.name_of(ranks[i]);
  }
  if (count > shown) out += fmt::format(" and {} more", count - shown);
  return out;
}

std::string differences(const View& view, const TextOptions& options) {
  std::vector<Row> rows;
  const auto& groups = view.report.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool before = i > 0 && groups[i - 1].what == groups[i].what;
    const bool after = i + 1 < groups.size() && groups[i + 1].what == groups[i].what;
    if (!before && !after) continue;
    const auto count = static_cast<std::size_t>(std::max(0, groups[i].count));
    rows.push_back({before ? "" : printable(groups[i].what), printable(groups[i].value), std::to_string(count),
                    groups[i].minority ? printable(names(view, groups[i].node_ranks, count)) : "the others"});
  }
  if (rows.empty()) return "";
  return "\n" + table({"DIFFERENT", "VALUE", "NODES", "WHICH"}, rows, options.width, options.unicode);
}

std::string pairs(const View& view, const TextOptions& options) {
  const auto& all = view.report.pairs;
  if (all.empty()) return "";
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(all.size(), kPairs); ++i) {
    const auto& pair = all[i];
    rows.push_back({printable(view.name_of(pair.from)), printable(view.name_of(pair.to)), printable(pair.state),
                    pair.milliseconds > 0 ? fmt::format("{:.1f} ms", pair.milliseconds) : "",
                    pair.gigabytes > 0 ? fmt::format("{:.1f} GB/s", pair.gigabytes) : "", printable(pair.text)});
  }
  std::string out =
      "\n" + table({"FROM", "TO", "PAIR", "TIME", "BANDWIDTH", "DETAIL"}, rows, options.width, options.unicode);
  if (all.size() > kPairs) out += fmt::format("({} of {} pairs that are not as the others)\n", kPairs, all.size());
  return out;
}

std::string bandwidth(const View& view, std::size_t width) {
  std::string out;
  for (const auto& each : view.bandwidths) {
    std::string line = fmt::format("{}, bus bandwidth: median {:.1f} GB/s", each.title, each.median);
    if (each.below.empty()) line += ", no node below 0.85 of it";
    for (std::size_t i = 0; i < std::min(each.below.size(), kNodes); ++i) {
      const int rank = each.below[i];
      const double value = each.values[static_cast<std::size_t>(rank)];
      line += fmt::format("{} {} {:.1f} GB/s ({:.2f} of it)", i == 0 ? "; below 0.85:" : ",", view.name_of(rank), value,
                          value / each.median);
    }
    if (each.below.size() > kNodes) line += fmt::format(" and {} more", each.below.size() - kNodes);
    out += wrapped(printable(line), width, 0) + "\n";
  }
  return out.empty() ? "" : "\n" + out;
}

std::string timeline(const View& view, const TextOptions& options) {
  std::vector<Row> rows;
  for (const auto& moment : view.report.timeline) {
    if (moment.node_rank >= 0) continue;   // single nodes are in the other forms
    if (moment.kind == "Stage") continue;  // the table of stages tells how long they took
    const auto at = rfc3339_from(moment.at);
    const bool goes_on = moment.kind == "Held" && moment.seconds == 0;
    rows.push_back({at ? time_of_day(*at) : "", printable(moment.kind),
                    goes_on              ? "goes on"
                    : moment.seconds > 0 ? fmt::format("{:.1f} s", moment.seconds)
                                         : "",
                    printable(moment.what)});
  }
  if (rows.empty()) return "";
  return "\n" + table({"AT", "TIMELINE", "TOOK", ""}, rows, options.width, options.unicode);
}

}  // namespace

std::string report_text(const api::RollCall& roll_call, WallTime now, const TextOptions& options) {
  const View view = view_of(roll_call);
  std::string out;
  if (view.report.simulated)
    out += wrapped("SIMULATED: doubles of the tests stood in for CUDA or NCCL; nothing here says anything about a GPU.",
                   options.width, 0) +
           "\n\n";
  out += text::head(roll_call, now, options) + advice(view, now, options.width) + equipment(view, options.width) +
         text::nodes(roll_call, options) + text::stages(roll_call.status, options) + differences(view, options) +
         pairs(view, options) + bandwidth(view, options.width) + timeline(view, options);
  if (!view.has_report)
    out += "\n" +
           wrapped(
               "This RollCall was written by a version without reports: what differs, pairs, bandwidth and "
               "timeline are not in it.",
               options.width, 0) +
           "\n";
  return out + text::findings(roll_call.status, options);
}

}  // namespace rollcall::report
