#include "roll_call/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "roll_call/advice.h"
#include "roll_call/deadlines.h"
#include "roll_call/json_reader.h"
#include "roll_call/node_stages.h"
#include "roll_call/report/report_of.h"
#include "roll_call/story.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// Above so many nodes only those that need attention are listed …
constexpr int kAllNodes = 64;
/// … and at most so many of them.
constexpr std::size_t kMaxNodes = 50;
/// 50 findings of at most 2,000 bytes and 50 nodes of about 1.5 KB stay under 200 KiB.
constexpr std::size_t kMaxFindings = 50;
constexpr std::size_t kMaxFindingText = 2000;
constexpr std::size_t kMaxRanksInFinding = 64;
constexpr std::size_t kMaxDetail = 300;

const char* name_of(StageState state) {
  switch (state) {
    case StageState::Waiting:
      return "Waiting";
    case StageState::Running:
      return "Running";
    case StageState::Passed:
      return "Passed";
    case StageState::Failed:
      return "Failed";
    case StageState::Skipped:
      return "Skipped";
  }
  return "Waiting";
}

double tenths(std::chrono::milliseconds duration) {
  return std::round(static_cast<double>(duration.count()) / 100.0) / 10.0;
}

std::vector<api::StageLine> stage_lines(const Roll& roll) {
  std::vector<api::StageLine> lines;
  for (int i = 0; i < kStages; ++i) {
    const StageRun& run = roll.stages[static_cast<std::size_t>(i)];
    api::StageLine line{name_of(static_cast<Stage>(i)), name_of(run.state), run.reason, "", 0};
    if (run.started_at) line.started_at = rfc3339(*run.started_at);
    // The running stage's seconds would change with every look and make every look a write.
    if (run.started_at && run.ended_at) line.seconds = tenths(*run.ended_at - *run.started_at);
    lines.push_back(std::move(line));
  }
  return lines;
}

/// What is shown: of this round, or of the last one that had any while this one has none yet.
const std::vector<StageFinding>& shown_findings(const Roll& roll) {
  const bool between = roll.phase == Phase::Round && roll.findings.empty() && roll.at < kStages;
  return between ? roll.former_findings : roll.findings;
}

std::string state_of(const Roll& roll, const NodeStages& stages, const Pod& pod, TimePoint now) {
  if (pod.gone() || pod.started_anew) return "Lost";
  if (!pod.heard()) {
    if (pod.started_at) return now - *pod.started_at >= kMute ? "Mute" : "Starting";
    return pod.view && !pod.view->state.empty() ? pod.view->state : "Unscheduled";
  }
  if (roll.verdict && roll.verdict->kind == api::VerdictKind::Released) return "Passed";
  if (stages.failure_of(pod) != nullptr) return "Failed";
  return roll.at >= kStages && roll.phase == Phase::Round ? "Passed" : "Answered";
}

std::string detail_of(const Roll& roll, const NodeStages& stages, const Pod& pod, const std::string& state,
                      TimePoint now) {
  if (pod.started_anew) return "the probe started anew after the release";
  if (state == "Lost") return "the pod is gone";
  if (!pod.heard()) {
    if (pod.started_at) return fmt::format("probe running since {}, not heard", rfc3339(*pod.started_at));
    return pod.view ? pod.view->waiting : std::string();
  }
  if (const StageFinding* found = stages.failure_of(pod))
    return clipped(found->finding.rule + ": " + found->finding.message, kMaxDetail);
  if (roll.phase == Phase::Round && pod.heard_at && now - *pod.heard_at >= kMute && !roll.verdict)
    return "not heard since " + rfc3339(*pod.heard_at);
  return pod.restarts > 0 ? fmt::format("the probe started anew {}",
                                        counted(static_cast<std::size_t>(pod.restarts), "time", "times"))
                          : "";
}

bool needs_attention(const std::string& state) { return state != "Answered" && state != "Passed"; }

std::vector<api::RollNode> node_lines(const Roll& roll, const NodeStages& stages, TimePoint now) {
  std::vector<api::RollNode> nodes;
  const bool all = roll.nnodes() <= kAllNodes;
  for (const Pod& pod : roll.pods) {
    const std::string state = state_of(roll, stages, pod, now);
    if (!all && !needs_attention(state)) continue;
    if (!all && nodes.size() == kMaxNodes) break;
    api::RollNode node;
    node.node_rank = pod.node_rank;
    node.ranks = pod.ranks;
    node.pod = pod.name;
    node.node = pod.node();
    node.address = pod.address();
    node.state = state;
    node.detail = detail_of(roll, stages, pod, state, now);
    for (int i = 0; i < kStages; ++i) {
      const Stage stage = static_cast<Stage>(i);
      node.stages.push_back({name_of(stage), name_of(stages.of(pod, stage)), "", "", 0});
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::vector<api::NodeFinding> finding_lines(const Roll& roll, TimePoint now) {
  std::vector<api::NodeFinding> lines;
  // Failures first: they are what a reader looks for, and what must survive the cap.
  for (const char* severity : {"fail", "warn", "info"}) {
    for (const StageFinding& each : shown_findings(roll)) {
      if (each.finding.severity == severity) lines.push_back(each.finding);
    }
  }
  if (roll.phase == Phase::Round && roll.at == 0 && !roll.verdict) {
    for (auto& finding : mute_findings(roll, now)) lines.push_back(std::move(finding));
  }
  if (lines.size() > kMaxFindings) {
    const std::size_t more = lines.size() - kMaxFindings + 1;
    lines.resize(kMaxFindings - 1);
    lines.push_back({"findings/more", "info", fmt::format("{} more findings are not listed", more), {}, ""});
  }
  for (auto& line : lines) {
    line.message = clipped(line.message, kMaxFindingText);
    if (line.node_ranks.size() > kMaxRanksInFinding) line.node_ranks.resize(kMaxRanksInFinding);
  }
  return lines;
}

std::string stage_name(const Roll& roll) {
  if (roll.verdict) return roll.verdict->kind == api::VerdictKind::Released ? "Released" : "Ended";
  if (roll.phase == Phase::Held) return "Held";
  return name_of(static_cast<Stage>(std::min(roll.at, kStages - 1)));
}

}  // namespace

api::RollCallStatus status_of(const Roll& roll, TimePoint now) {
  if (roll.record) return *roll.record;
  api::RollCallStatus status;
  status.stage = stage_name(roll);
  status.round = to_string(roll.round);
  status.message = roll.message;
  status.master_addr = roll.master_addr;
  const auto answered =
      std::count_if(roll.pods.begin(), roll.pods.end(), [](const Pod& pod) { return pod.heard() && !pod.gone(); });
  status.answered = fmt::format("{}/{}", answered, roll.nnodes());
  if (roll.called_at) status.started_at = rfc3339(*roll.called_at);
  if (roll.held_since) status.held_since = rfc3339(*roll.held_since);
  if (roll.next_round_at) status.next_round_at = rfc3339(*roll.next_round_at);
  status.held_seconds = tenths(roll.held_before);
  status.stages = stage_lines(roll);
  const NodeStages stages(roll);
  status.nodes = node_lines(roll, stages, now);
  status.findings = finding_lines(roll, now);
  status.verdict = roll.verdict;
  if (roll.nnodes() > 0) {
    status.report = report_of(roll, stages);
    status.report->advice = advice_for(roll, now);
  }
  return status;
}

}  // namespace rollcall::roll_call
