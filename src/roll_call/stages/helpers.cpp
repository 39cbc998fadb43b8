#include <fmt/format.h>

#include <algorithm>

#include "roll_call/stages/stage.h"
#include "roll_call/words.h"

namespace rollcall::roll_call::stages {
namespace {

/// A probe with a step asks again every half second, or every 4 ms a node (orders.cpp): who has not for this long and
/// two such pauses does not hear us, or is not heard.
constexpr auto kStillAsks = 10s;
constexpr auto kStillAsksPerNode = 8ms;

}  // namespace

std::vector<const Pod*> missing(const Roll& roll, const Done& done) {
  std::vector<const Pod*> result;
  for (const Pod& pod : roll.pods) {
    if (!pod.silent && !done(pod)) result.push_back(&pod);
  }
  return result;
}

bool settled(Roll& roll, Stage stage, TimePoint now, TimePoint deadline, const std::string& doing, const Done& done) {
  const Pod& last_missed = roll.pods[std::min(roll.waited_for, roll.pods.size() - 1)];
  if (now < deadline && !last_missed.silent && !done(last_missed)) return false;
  const auto late = missing(roll, done);
  if (late.empty()) return true;
  // The last of them: answers come in about the order of the nodes.
  roll.waited_for = static_cast<std::size_t>(late.back()->node_rank);
  if (now < deadline) return false;
  // A probe that still answers is stuck in its work; one that does not has lost its node, its network or its life.
  std::vector<const Pod*> stuck;
  std::vector<const Pod*> mute;
  const auto lately = kStillAsks + kStillAsksPerNode * roll.nnodes();
  for (const Pod* pod : late) (pod->heard_at && now - *pod->heard_at < lately ? stuck : mute).push_back(pod);
  const auto waited = duration_words(deadline - roll.step_from);
  const auto report = [&](const char* rule, const std::vector<const Pod*>& pods, const std::string& what,
                          const char* advice) {
    if (pods.empty()) return;
    api::NodeFinding finding{rule,
                             "fail",
                             fmt::format("{} {} {} within {}. {}", listed(pods, who), pods.size() == 1 ? "has" : "have",
                                         what, waited, advice),
                             {},
                             "node"};
    for (const Pod* pod : pods) finding.node_ranks.push_back(pod->node_rank);
    add(roll, stage, std::move(finding));
  };
  report("probe/stuck", stuck, fmt::format("answered, but not {}", doing),
         "The probe's log says where it is: kubectl logs POD -c rollcall");
  report("probe/silent", mute, fmt::format("not answered, and not {}", doing),
         "Look at the node and at its way to the desk's Service");
  for (const Pod* pod : late) roll.pods[static_cast<std::size_t>(pod->node_rank)].silent = true;
  roll.any_silent = true;
  return true;
}

void next_step(Roll& roll, TimePoint now) {
  ++roll.step;
  roll.step_from = now;
  roll.orders_changed = true;
}

void add(Roll& roll, Stage stage, api::NodeFinding finding, bool jobs_own) {
  roll.findings.push_back({stage, std::move(finding), jobs_own});
  roll.status_changed = true;
}

Progress by_findings(const Roll& roll, Stage stage, std::string remark) {
  for (const StageFinding& each : roll.findings) {
    if (each.stage == stage && each.finding.severity == "fail") return {Outcome::Failed, each.finding.rule};
  }
  return {Outcome::Passed, std::move(remark)};
}

}  // namespace rollcall::roll_call::stages
