#include "roll_call/thresholds.h"

#include <fmt/format.h>

#include <functional>

#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

struct Measure {
  const char* rule;
  const char* owner;
  std::function<std::int64_t(const LocalFacts&)> value;
  std::function<std::string(std::int64_t)> words;  ///< "/dev/shm of 64 MiB"
  const char* unit;                                ///< after the threshold's number
  const char* advice;
};

void judge(const std::vector<const Pod*>& pods, const std::optional<api::Threshold>& threshold, const Measure& measure,
           std::vector<api::NodeFinding>& findings) {
  if (!threshold) return;
  std::vector<const Pod*> below;
  for (const Pod* pod : pods) {
    if (measure.value(*pod->facts) < threshold->value) below.push_back(pod);
  }
  if (below.empty()) return;
  const auto named = listed_of(below.size(), [&](std::size_t i) {
    return who_briefly(*below[i]) + " with " + measure.words(measure.value(*below[i]->facts));
  });
  api::NodeFinding finding{
      measure.rule,
      "fail",
      fmt::format("{} of {} {} less than the {}{} that RollcallPolicy {} asks for: {}. {}", below.size(),
                  counted(pods.size(), "node", "nodes"), below.size() == 1 ? "has" : "have", threshold->value,
                  measure.unit, threshold->policy, named, measure.advice),
      {},
      measure.owner};
  for (const Pod* pod : below) finding.node_ranks.push_back(pod->node_rank);
  findings.push_back(std::move(finding));
}

}  // namespace

std::vector<api::NodeFinding> below_thresholds(const std::vector<const Pod*>& pods, const api::Thresholds& thresholds) {
  std::vector<api::NodeFinding> findings;
  judge(pods, thresholds.min_shared_memory_mebibytes,
        {"node/shm-below-policy", "job", [](const LocalFacts& facts) { return facts.shm_bytes >> 20; },
         [](std::int64_t mebibytes) {
           return mebibytes == 0 ? std::string("no /dev/shm") : fmt::format("/dev/shm of {} MiB", mebibytes);
         },
         " MiB of /dev/shm", "Mount an emptyDir of medium Memory at /dev/shm in the trainer's container"},
        findings);
  judge(pods, thresholds.min_open_files,
        {"node/nofile-below-policy", "cluster", [](const LocalFacts& facts) { return facts.nofile; },
         [](std::int64_t files) { return fmt::format("a limit of {}", files); }, " open files",
         "Raise LimitNOFILE of the container runtime on these nodes"},
        findings);
  return findings;
}

}  // namespace rollcall::roll_call
