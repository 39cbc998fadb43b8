#include "operator/job_status.h"

#include <algorithm>

#include "api/names.h"
#include "operator/conditions.h"

namespace rollcall::operator_ {

using api::Phase;

namespace {

// Every node up to here is listed; a larger job's status would be mostly lines that say Running.
constexpr std::size_t kListAll = 64;
constexpr std::size_t kListAttention = 50;

std::string waiting_sentence(const JobView& view, int nproc_per_node) {
  int ready = 0;
  std::string first;
  int more = 0;
  for (int rank = 0; rank < view.nnodes; ++rank) {
    const auto found = view.pods.find(rank);
    const auto words = found == view.pods.end() ? std::string("is not created yet") : waiting_words(*found->second);
    if (words.empty()) {
      ++ready;
    } else if (first.empty()) {
      first = place_words(rank, nproc_per_node, "");
      if (found != view.pods.end()) first += " (pod " + found->second->name + ")";
      first += " " + words;
    } else {
      ++more;
    }
  }
  auto sentence = std::to_string(ready) + " of " + std::to_string(view.nnodes) +
                  (view.nnodes == 1 ? " node is ready" : " nodes are ready");
  if (!first.empty()) sentence += "; " + with_stop(first);
  if (more > 0) sentence += " " + std::to_string(more) + (more == 1 ? " more is" : " more are") + " not ready.";
  return sentence;
}

std::string pod_state(const PodFacts& pod) {
  if (pod.node.empty()) return "Unscheduled";
  return pod.probe_running() ? "Answering" : "Starting";
}

std::vector<api::NodeLine> gathering_lines(const JobView& view, int nproc_per_node) {
  std::vector<api::NodeLine> lines;
  for (const auto& [rank, pod] : view.pods) {
    lines.push_back({rank, api::ranks_of(rank, nproc_per_node), pod->node, pod->name, pod_state(*pod)});
  }
  return lines;
}

/// Keeps all lines up to 64, above it the 50 for which `fine` is false, filled up in order of node rank.
std::vector<api::NodeLine> shortened(std::vector<api::NodeLine> lines, const std::string& fine) {
  if (lines.size() <= kListAll) return lines;
  std::stable_partition(lines.begin(), lines.end(), [&](const auto& line) { return line.state != fine; });
  lines.resize(kListAttention);
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.node_rank < b.node_rank; });
  return lines;
}

bool all_probes_ran(const JobView& view) {
  return static_cast<int>(view.pods.size()) == view.nnodes &&
         std::all_of(view.pods.begin(), view.pods.end(),
                     [](const auto& item) { return waiting_words(*item.second).empty(); });
}

bool same_condition(const api::TrainingJobStatus& a, const api::TrainingJobStatus& b) {
  return std::equal(
      a.conditions.begin(), a.conditions.end(), b.conditions.begin(), b.conditions.end(),
      [](const auto& x, const auto& y) { return x.type == y.type && x.status == y.status && x.reason == y.reason; });
}

}  // namespace

void describe_gathering(const JobView& view, int nproc_per_node, WallTime now, api::TrainingJobStatus& status) {
  status.phase = to_string(Phase::Pending);
  status.answered = "0/" + std::to_string(view.nnodes);
  status.nodes = shortened(gathering_lines(view, nproc_per_node), "Answering");
  status.message = waiting_sentence(view, nproc_per_node);
  set_condition(status, "RollCallPassed", false, reason::kWaitingForPods, "", now);
}

void describe_roll_call(const JobView& view, WallTime now, api::TrainingJobStatus& status) {
  const auto& desk = view.roll_call->status;
  const auto processes = view.roll_call->spec.nproc_per_node;
  const bool held = desk.stage == "Held";
  const bool called = held || all_probes_ran(view);
  status.phase = to_string(held ? Phase::Held : called ? Phase::RollCall : Phase::Pending);
  status.round = desk.round;
  status.held_since = held ? desk.held_since : "";
  status.master_addr = desk.master_addr;
  status.answered = desk.answered.empty() ? "0/" + std::to_string(view.nnodes) : desk.answered;
  status.message = desk.message.empty() ? waiting_sentence(view, processes) : desk.message;
  status.nodes.clear();
  for (const auto& node : desk.nodes)
    status.nodes.push_back({node.node_rank, node.ranks, node.node, node.pod, node.state});
  if (status.nodes.empty()) status.nodes = gathering_lines(view, processes);
  status.nodes = shortened(std::move(status.nodes), "Passed");
  set_condition(status, "RollCallPassed", false,
                held     ? reason::kHeld
                : called ? reason::kCalling
                         : reason::kWaitingForPods,
                "", now);
}

void describe_training(const JobView& view, const std::string& trainer, const Training& training, WallTime now,
                       api::TrainingJobStatus& status) {
  const auto& roll_call = *view.roll_call;
  const auto& verdict = *roll_call.status.verdict;
  const auto mode = roll_call.meta.annotations.contains(api::names::kAnnotationMode)
                        ? roll_call.meta.annotations.at(api::names::kAnnotationMode)
                        : std::string(to_string(roll_call.spec.settings.mode));
  const bool findings = std::any_of(roll_call.status.findings.begin(), roll_call.status.findings.end(),
                                    [](const auto& finding) { return finding.severity == "fail"; });
  const char* why = verdict.overridden ? reason::kOverridden
                    : mode == "Off"    ? reason::kModeOff
                    : findings         ? reason::kObserved
                                       : reason::kPassed;
  const bool passed = std::string_view(why) == reason::kPassed;
  set_condition(status, "RollCallPassed", passed, why, passed ? "" : verdict.message, now);
  set_condition(status, "Released", true, why, verdict.message, now);

  const bool all_run = training.running + training.succeeded == view.nnodes;
  status.phase = to_string(all_run ? Phase::Running : Phase::Released);
  status.round = roll_call.status.round;
  status.held_since.clear();
  status.released_at = verdict.at;
  status.master_addr = roll_call.status.master_addr;
  status.answered = roll_call.status.answered;
  status.nodes = training_lines(view, trainer);
  const auto of = " of " + std::to_string(view.nnodes) + (view.nnodes == 1 ? " trainer" : " trainers");
  status.message = all_run ? std::to_string(training.running) + of + " running"
                           : "Released; " + std::to_string(training.running) + of + " running";
  if (training.succeeded > 0) status.message += ", " + std::to_string(training.succeeded) + " succeeded";
  status.message += ".";
  if (roll_call.status.report && roll_call.status.report->simulated)
    status.message += " SIMULATED: the roll call met doubles, no GPUs.";
  if (verdict.overridden) status.message += " Released " + with_stop(verdict.message);
}

std::vector<api::NodeLine> training_lines(const JobView& view, const std::string& trainer) {
  std::vector<api::NodeLine> lines;
  for (const auto& entry : view.roll_call->spec.roster) {
    api::NodeLine line{entry.node_rank, api::ranks_of(entry.node_rank, view.roll_call->spec.nproc_per_node), "",
                       entry.pod, "Lost"};
    if (const auto found = view.pods.find(entry.node_rank); found != view.pods.end()) {
      const auto* container = found->second->container(trainer);
      line.node = found->second->node;
      line.state = container == nullptr || container->phase == ContainerPhase::Waiting ? "Released"
                   : container->phase == ContainerPhase::Running                       ? "Running"
                   : container->exit_code == 0                                         ? "Succeeded"
                                                                                       : "Failed";
    }
    if (view.succeeded.contains(entry.node_rank)) line.state = "Succeeded";
    lines.push_back(std::move(line));
  }
  return shortened(std::move(lines), "Running");
}

std::vector<Event> events_between(const api::TrainingJobStatus& before, const api::TrainingJobStatus& after) {
  std::vector<Event> events;
  const auto became = [&](const char* type) { return is_true(after, type) && !is_true(before, type); };
  // Without the cost so far, which grows with each round, the same cause is one event that is counted.
  if (after.phase == "Held" && before.phase != "Held")
    events.push_back({"Warning", "Held", after.message.substr(0, after.message.find(" Held "))});
  if (became("Released")) {
    const auto& released = *condition(after, "Released");
    const bool overridden = released.reason == reason::kOverridden;
    events.push_back(
        {overridden ? "Warning" : "Normal", overridden ? "Overridden" : "Released",
         "Attempt " + std::to_string(after.attempt) +
             (overridden ? " was released " + released.message : " is released; master address " + after.master_addr)});
  }
  if (became("Suspended")) events.push_back({"Normal", "Suspended", condition(after, "Suspended")->message});
  if (is_true(before, "Suspended") && !is_true(after, "Suspended"))
    events.push_back(
        {"Normal", "Resumed", "Resumed by spec.suspend; attempt " + std::to_string(after.attempt) + " follows"});
  if (became("Complete")) events.push_back({"Normal", "Complete", after.message});
  if (became("Failed")) {
    const auto& failed = *condition(after, "Failed");
    events.push_back({"Warning", failed.reason, failed.message});
  }
  const auto* now = condition(after, "RollCallPassed");
  const auto* then = condition(before, "RollCallPassed");
  for (const char* waiting : {reason::kPodsRefused, reason::kPodNameTaken, reason::kDeskMissing}) {
    if (now != nullptr && now->reason == waiting && (then == nullptr || then->reason != waiting)) {
      events.push_back({"Warning", waiting, now->message});
    }
  }
  return events;
}

bool only_details_differ(const api::TrainingJobStatus& before, const api::TrainingJobStatus& after) {
  return before.phase == after.phase && before.attempt == after.attempt && before.retries_used == after.retries_used &&
         before.observed_generation == after.observed_generation && before.master_addr == after.master_addr &&
         before.succeeded == after.succeeded && before.first_released_at == after.first_released_at &&
         same_condition(before, after);
}

}  // namespace rollcall::operator_
