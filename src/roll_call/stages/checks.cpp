#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "roll_call/compare.h"
#include "roll_call/deadlines.h"
#include "roll_call/gpu/judge.h"
#include "roll_call/stages/stage.h"
#include "roll_call/words.h"

namespace rollcall::roll_call::stages {
namespace {

/// The way to the probe and back.
constexpr auto kChecksMargin = 15s;

bool over(const Pod& pod) { return pod.checks && pod.checks->done; }

/// As the probe scales it.
std::chrono::milliseconds deadline_of(const Roll& roll, const api::UserCheck& check) {
  return device_deadline(roll, std::chrono::seconds{check.deadline_seconds});
}

std::chrono::milliseconds whole_deadline(const Roll& roll) {
  std::chrono::milliseconds sum{0};
  for (const auto& check : roll.spec.settings.checks) sum += deadline_of(roll, check) + kKill;
  if (!roll.spec.settings.setup.empty()) sum += device_deadline(roll, kSetupDeadline) + kKill;
  return sum;
}

struct Told {
  const Pod* pod;
  const CheckResult* result;  ///< nullptr = the probe says nothing of this check
};

const CheckResult* result_of(const Pod& pod, const std::string& name) {
  if (!pod.checks) return nullptr;
  for (const CheckResult& each : pod.checks->checks) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::string quoted(const std::string& words) { return words.empty() ? std::string() : fmt::format(": \"{}\"", words); }

/// What went wrong, in words that are the same where it is the same; empty = nothing.
std::pair<std::string, std::string> fault_of(const Roll& roll, const Told& told, const api::UserCheck& check) {
  if (told.result == nullptr) return {"check/not-run", "was not run: the probe says nothing of it"};
  const CheckResult& result = *told.result;
  if (!result.ran) return {"check/not-run", "could not be run" + quoted(result.error)};
  if (result.timed_out)
    return {"check/timed-out", fmt::format("did not end within {} s{}",
                                           std::chrono::ceil<std::chrono::seconds>(deadline_of(roll, check)).count(),
                                           quoted(result.error))};
  if (result.exit_code == 0) return {};
  // A command that was ended by a signal has no exit code of its own.
  return {"check/failed", fmt::format("{}{}",
                                      result.exit_code < 0 ? std::string("was ended by a signal")
                                                           : fmt::format("ended with exit code {}", result.exit_code),
                                      quoted(result.error.empty() ? result.output : result.error))};
}

void judge_exit(Roll& roll, const api::UserCheck& check, const std::vector<Told>& all) {
  std::map<std::pair<std::string, std::string>, std::vector<const Pod*>> faults;
  for (const Told& told : all) {
    auto fault = fault_of(roll, told, check);
    if (!fault.first.empty()) faults[std::move(fault)].push_back(told.pod);
  }
  for (const auto& [fault, pods] : faults) {
    const bool everywhere = pods.size() == roll.pods.size();
    const char* where = everywhere ? (roll.nnodes() > 1 ? ". It is the same on every node" : "")
                                   : ". The others passed it or failed in another way";
    api::NodeFinding finding{fault.first,
                             "fail",
                             fmt::format("the job's own check \"{}\" {} on {}{}. The end of its output stands in the "
                                         "probe's log: kubectl logs POD -c rollcall",
                                         check.name, fault.second, listed(pods, who_briefly), where),
                             {},
                             everywhere ? "job" : "node"};
    for (const Pod* pod : pods) finding.node_ranks.push_back(pod->node_rank);
    // A command that no image of the job has is there in no round.
    add(roll, Stage::Checks, std::move(finding), false);
  }
}

void judge_same(Roll& roll, const api::UserCheck& check, const std::vector<Told>& all) {
  if (!check.compare) return;
  std::map<std::string, std::vector<const Pod*>> values;
  for (const Told& told : all) {
    if (told.result != nullptr && fault_of(roll, told, check).first.empty())
      values[told.result->output].push_back(told.pod);
  }
  if (values.size() < 2) return;
  std::vector<Group> groups;
  std::size_t most = 0;
  for (const auto& [value, pods] : values) most = std::max(most, pods.size());
  bool one_majority = false;
  std::vector<int> odd;
  for (auto& [value, pods] : values) {
    if (pods.size() == most && !one_majority) {
      one_majority = true;
    } else {
      for (const Pod* pod : pods) odd.push_back(pod->node_rank);
    }
    groups.push_back({value.empty() ? "(nothing)" : "\"" + value + "\"", pods});
  }
  // Two groups of the same size: neither is the odd one.
  const auto largest =
      std::count_if(values.begin(), values.end(), [&](const auto& each) { return each.second.size() == most; });
  if (largest > 1) {
    odd.clear();
    for (const auto& [value, pods] : values) {
      for (const Pod* pod : pods) odd.push_back(pod->node_rank);
    }
  }
  std::sort(odd.begin(), odd.end());
  add(roll, Stage::Checks,
      {"check/differs", "fail",
       fmt::format("the job's own check \"{}\" must print the same on every node, and does not: {}", check.name,
                   minority(std::move(groups), "")),
       odd, "node"});
}

}  // namespace

Progress checks(Roll& roll, TimePoint now) {
  const auto& wanted = roll.spec.settings.checks;
  if (wanted.empty()) return {Outcome::Skipped, "the job has none"};
  if (roll.step == 0) next_step(roll, now);
  if (!settled(roll, Stage::Checks, now, *checks_due(roll), "run the job's own checks", over)) return {};
  for (const auto& check : wanted) {
    std::vector<Told> all;
    for (const Pod& pod : roll.pods) {
      if (over(pod)) all.push_back({&pod, result_of(pod, check.name)});
    }
    judge_exit(roll, check, all);
    judge_same(roll, check, all);
  }
  return by_findings(roll, Stage::Checks, counted(wanted.size(), "check", "checks"));
}

Order checks_order(const Roll&, const Pod& pod) { return {over(pod) ? Step::Wait : Step::Checks, false, {}}; }

std::optional<TimePoint> checks_due(const Roll& roll) { return roll.step_from + whole_deadline(roll) + kChecksMargin; }

}  // namespace rollcall::roll_call::stages
