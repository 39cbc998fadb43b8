#include <fmt/format.h>

#include <algorithm>

#include "roll_call/collective/search.h"
#include "roll_call/stages/stage.h"
#include "roll_call/words.h"

namespace rollcall::roll_call::stages {
namespace {

constexpr int kDecide = 0;

/// Before the finding that something failed goes the one that says where: readers take the first.
void add_first(Roll& roll, api::NodeFinding finding) {
  const auto at = std::find_if(roll.findings.begin(), roll.findings.end(), [](const StageFinding& each) {
    return each.finding.severity == "fail" &&
           (each.stage == Stage::NodeCollective || each.stage == Stage::JobCollective);
  });
  const auto place = finding.severity == "fail" ? at : roll.findings.end();
  roll.findings.insert(place, {Stage::Localisation, std::move(finding), false});
  roll.status_changed = true;
}

/// For the report's matrix.
void keep_pairs(Roll& roll, const Search& search) {
  if (search.node >= 0) return;
  for (const Trial& trial : search.trials) {
    api::ReportPair pair;
    pair.from = search.members[static_cast<std::size_t>(trial.a)];
    pair.to = search.members[static_cast<std::size_t>(trial.b)];
    pair.state = trial.good ? "CollectiveOk" : "CollectiveFailed";
    pair.gigabytes = trial.gbytes;
    pair.text = trial.good ? std::string() : search.how;
    roll.pairs.push_back(std::move(pair));
  }
}

Progress finish(Roll& roll) {
  std::size_t tried = 0;
  for (const Search& search : roll.memory.searches) {
    tried += search.trials.size();
    keep_pairs(roll, search);
    if (!search.trials.empty()) add_first(roll, search_finding(roll, search));
  }
  if (tried == 0) {
    return {Outcome::Skipped, roll.memory.out_of_time ? fmt::format("timeoutSeconds ({} s) leaves no time for pairs",
                                                                    roll.spec.settings.timeout_seconds)
                                                      : std::string("no pair could be tried")};
  }
  return by_findings(roll, Stage::Localisation, fmt::format("{} pairs tried, each works", tried));
}

Progress go_on(Roll& roll, TimePoint now) {
  if (auto wanted = next_trials(roll, now)) {
    begin_collective(roll, now, std::move(*wanted));
    return {};
  }
  return finish(roll);
}

}  // namespace

Progress localisation(Roll& roll, TimePoint now) {
  if (roll.step == kDecide) {
    const auto state = [&](Stage stage) { return roll.run_of(stage).state; };
    if (state(Stage::NodeCollective) != StageState::Failed && state(Stage::JobCollective) != StageState::Failed)
      return {Outcome::Skipped, "no collective failed"};
    roll.memory.searches = searches_of(roll);
    if (roll.memory.searches.empty())
      return {Outcome::Skipped, "what failed is named already: pairs would tell no more"};
    return go_on(roll, now);
  }
  if (!collective_over(roll, Stage::Localisation, now, "ended the all-reduce of its pair")) return {};
  end_collective(roll);
  take_results(roll);
  return go_on(roll, now);
}

}  // namespace rollcall::roll_call::stages
