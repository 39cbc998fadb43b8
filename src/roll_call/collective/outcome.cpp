#include "roll_call/collective/outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "roll_call/collective/sizes.h"

namespace rollcall::roll_call {

std::vector<Ran> brought(const Roll& roll) {
  std::vector<Ran> ran;
  for (const Pod& pod : roll.pods) {
    const auto index = static_cast<std::size_t>(pod.node_rank);
    if (index >= roll.plan.places.size() || roll.plan.places[index].team < 0 || !pod.collective) continue;
    const auto& place = roll.plan.places[index];
    const Team& team = roll.plan.teams[static_cast<std::size_t>(place.team)];
    ran.push_back({&pod, &pod.collective->ranks, team.seats[static_cast<std::size_t>(place.seat)].gpus.size()});
  }
  return ran;
}

const StageFinding* failure_before(const Roll& roll, Stage stage) {
  for (const StageFinding& each : roll.findings) {
    if (each.stage < stage && each.finding.severity == "fail") return &each;
  }
  return nullptr;
}

std::vector<RankResult> kept(std::vector<RankResult> ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    // Swapped, since a string that is cleared keeps its memory.
    if (ranks[i].outcome == RankOutcome::Ok) std::string().swap(ranks[i].uuid);
    for (std::size_t before = 0; before < i; ++before) {
      if (ranks[i].devices.empty() || ranks[i].devices != ranks[before].devices) continue;
      std::vector<std::string>().swap(ranks[i].devices);
    }
  }
  return ranks;
}

bool any_failing(const std::vector<api::NodeFinding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const auto& each) { return each.severity == "fail"; });
}

void add_findings(Roll& roll, Stage stage, std::vector<api::NodeFinding> findings, bool jobs_own,
                  const std::string& partial) {
  for (auto& finding : findings) {
    const bool proof = finding.rule == "collective/wrong-value" || finding.rule == "gpu/driver-stuck";
    if (!partial.empty() && finding.severity == "fail" && !proof) {
      finding.severity = "warn";
      finding.message += fmt::format(
          ". The probe may not have the trainer's environment ({}), so this alone holds "
          "nothing",
          partial);
    }
    const bool own = jobs_own && finding.severity == "fail" && finding.owner == "job";
    stages::add(roll, stage, std::move(finding), own);
  }
}

std::string size_words(const Roll& roll, std::int64_t bytes) {
  if (bytes == 0) return "a small message alone";
  return fmt::format("{} MiB{}", bytes >> 20, simulated(roll) ? " (simulated: a double stands in for a library)" : "");
}

}  // namespace rollcall::roll_call
