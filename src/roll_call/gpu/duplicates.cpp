#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "roll_call/gpu/judge.h"
#include "roll_call/said.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// Two pods that show one GPU, and whether one of them sees more than it asked for.
struct Pair {
  const Pod* a = nullptr;
  const Pod* b = nullptr;
  std::string uuid;
  bool too_many = false;
};

bool sees_too_many(const Roll& roll, const Pod& pod) {
  return static_cast<int>(pod.gpu->gpus.size()) > roll.spec.gpus_per_pod;
}

/// UUIDs are the world's, but doubles and virtual machines made from one image repeat them: only pods of one kernel are
/// compared.
std::string machine_of(const Pod& pod) { return pod.facts ? pod.facts->boot_id : std::string(); }

std::vector<Pair> pairs_of(const Roll& roll) {
  std::map<std::pair<std::string, std::string>, const Pod*> first;  // (machine, uuid)
  std::map<std::pair<int, int>, Pair> pairs;
  for (const Pod& pod : roll.pods) {
    const std::string machine = machine_of(pod);
    if (!pod.gpu || machine.empty()) continue;
    for (const GpuFact& gpu : pod.gpu->gpus) {
      if (gpu.uuid.empty()) continue;
      const auto [known, fresh] = first.insert({{machine, gpu.uuid}, &pod});
      const Pod* other = known->second;
      if (fresh || other == &pod) continue;
      pairs.insert({{other->node_rank, pod.node_rank},
                    {other, &pod, gpu.uuid, sees_too_many(roll, *other) || sees_too_many(roll, pod)}});
    }
  }
  std::vector<Pair> out;
  for (auto& [ranks, pair] : pairs) out.push_back(std::move(pair));
  return out;
}

void within_a_pod(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::vector<Said> twice;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu) continue;
    std::map<std::string, int> seen;
    for (const GpuFact& gpu : pod.gpu->gpus) {
      if (gpu.uuid.empty()) continue;
      const auto [known, fresh] = seen.insert({gpu.uuid, gpu.index});
      if (fresh) continue;
      twice.push_back({&pod, fmt::format("GPUs {} and {} are the same one, {}", known->second, gpu.index, gpu.uuid)});
      break;
    }
  }
  if (!twice.empty())
    findings.push_back(
        finding_of("gpu/duplicate", "fail", "node", twice,
                   "Two ranks would share it, which NCCL refuses. Look at CUDA_VISIBLE_DEVICES and at the "
                   "device plugin"));
}

}  // namespace

bool time_sliced(const Roll& roll) {
  const auto pairs = pairs_of(roll);
  return std::any_of(pairs.begin(), pairs.end(), [](const Pair& each) { return !each.too_many; });
}

std::vector<api::NodeFinding> judge_duplicates(const Roll& roll) {
  std::vector<api::NodeFinding> findings;
  within_a_pod(roll, findings);
  std::vector<Said> shared;
  std::vector<Said> grabbed;
  for (const Pair& pair : pairs_of(roll)) {
    std::vector<Said>& said = pair.too_many ? grabbed : shared;
    said.push_back({pair.b, fmt::format("shows {}, which {} shows too", pair.uuid, who(*pair.a))});
    if (pair.too_many)
      said.back().what += fmt::format(" ({} and {} GPUs are seen, {} asked for)", pair.b->gpu->gpus.size(),
                                      pair.a->gpu->gpus.size(), roll.spec.gpus_per_pod);
  }
  const auto name_both = [&](api::NodeFinding finding, const std::vector<Said>& said) {
    std::set<int> ranks(finding.node_ranks.begin(), finding.node_ranks.end());
    for (const Pair& pair : pairs_of(roll)) {
      for (const Said& each : said) {
        if (each.pod == pair.b) ranks.insert(pair.a->node_rank);
      }
    }
    finding.node_ranks.assign(ranks.begin(), ranks.end());
    findings.push_back(std::move(finding));
  };
  if (!grabbed.empty())
    name_both(
        finding_of("gpu/duplicate", "fail", "job", grabbed,
                   "Both pods number their GPUs from 0, so two ranks would share one, which NCCL refuses. A "
                   "privileged container or NVIDIA_VISIBLE_DEVICES=all shows every GPU of the node: take it out of "
                   "the template"),
        grabbed);
  if (!shared.empty())
    name_both(finding_of("gpu/shared", "warn", "cluster", shared,
                         "Each sees only as many as it asked for, so this looks like time-slicing: training over NCCL "
                         "will refuse it, other work may be meant so"),
              shared);
  return findings;
}

}  // namespace rollcall::roll_call
