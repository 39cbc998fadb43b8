#include <algorithm>
#include <cmath>

#include "roll_call/report/parts.h"

namespace rollcall::roll_call::report_parts {
namespace {

using Times = std::optional<TimePoint>;

/// Nodes with lines of their own; above it the slowest ones of each kind.
constexpr int kAllNodes = 64;
constexpr std::size_t kSlowest = 20;

double seconds(TimePoint from, TimePoint to) {
  const double value = std::chrono::duration<double>(to - from).count();
  return std::max(0.0, std::round(value * 10) / 10);
}

/// A part of a pod's start, from the API server's words of the pod. Kubelets write whole seconds.
struct Part {
  const char* kind;
  const char* what;
  Times from;
  Times to;
};

/// Between two of these a pod that is not there yet has no line: what lasts is told by the stage Gathering.
std::vector<Part> parts_of(const Pod& pod) {
  if (!pod.view) return {};
  const PodView& view = *pod.view;
  return {{"Scheduling", "a place for the pod", view.created_at, view.scheduled_at},
          {"Starting", "sandbox, volumes, image of the installer", view.scheduled_at, view.install_started_at},
          {"Pulling", "the job's image", view.pull_from, view.probe_started_at}};
}

struct Line {
  api::ReportMoment moment;
  double seconds = 0;
};

/// The job's line from the first to the last, and those of nodes.
void add_starts(const Roll& roll, std::size_t part, std::vector<api::ReportMoment>& out) {
  Times first;
  Times last;
  const char* kind = "";
  const char* what = "";
  std::vector<Line> lines;
  for (const Pod& pod : roll.pods) {
    const auto parts = parts_of(pod);
    if (parts.empty() || !parts[part].from || !parts[part].to) continue;
    const Part& each = parts[part];
    kind = each.kind;
    what = each.what;
    first = first ? std::min(*first, *each.from) : *each.from;
    last = last ? std::max(*last, *each.to) : *each.to;
    const double took = seconds(*each.from, *each.to);
    lines.push_back({{each.kind, each.what, rfc3339(*each.from), took, pod.node_rank}, took});
  }
  if (!first) return;
  out.push_back({kind, what, rfc3339(*first), seconds(*first, *last), -1});
  if (roll.nnodes() > kAllNodes) {
    const std::size_t kept = std::min(kSlowest, lines.size());
    std::partial_sort(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(kept), lines.end(),
                      [](const Line& a, const Line& b) {
                        return a.seconds != b.seconds ? a.seconds > b.seconds : a.moment.node_rank < b.moment.node_rank;
                      });
    lines.resize(kept);
  }
  for (auto& line : lines) out.push_back(std::move(line.moment));
}

}  // namespace

std::vector<api::ReportMoment> timeline(const Roll& roll) {
  std::vector<api::ReportMoment> out;
  for (const std::size_t part : {0u, 1u, 2u}) add_starts(roll, part, out);
  out.insert(out.end(), roll.past.begin(), roll.past.end());
  // What runs has no length: it would change with every look, and every look would be a write.
  for (int i = 0; i < kStages; ++i) {
    const StageRun& run = roll.run_of(static_cast<Stage>(i));
    if (!run.started_at) continue;
    out.push_back({"Stage", name_of(static_cast<Stage>(i)), rfc3339(*run.started_at),
                   run.ended_at ? seconds(*run.started_at, *run.ended_at) : 0, -1});
  }
  if (roll.held_since) out.push_back({"Held", "", rfc3339(*roll.held_since), 0, -1});
  if (roll.verdict) out.push_back({std::string(to_string(roll.verdict->kind)), "", roll.verdict->at, 0, -1});
  return out;
}

}  // namespace rollcall::roll_call::report_parts
