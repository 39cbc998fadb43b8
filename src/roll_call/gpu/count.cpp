#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "roll_call/compare.h"
#include "roll_call/gpu/judge.h"
#include "roll_call/said.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

bool cuda_works(const Pod& pod) { return pod.gpu && pod.gpu->cuda_result == 0; }

std::string seen_by_cuda(const Roll& roll, const Pod& pod) {
  std::string what = fmt::format("CUDA sees {} of the {} {} asked for", pod.gpu->gpus.size(), roll.spec.gpus_per_pod,
                                 roll.spec.gpu_resource);
  if (pod.gpu->visible_devices >= 0)
    what += fmt::format(", and CUDA_VISIBLE_DEVICES names {}", pod.gpu->visible_devices);
  return what;
}

std::string seen_as_files(const Roll& roll, const Pod& pod) {
  return fmt::format("{} of the {} {} asked for can be opened in the container{}", pod.facts->gpus_visible,
                     roll.spec.gpus_per_pod, roll.spec.gpu_resource,
                     pod.facts->gpu_detail.empty() ? "" : " (" + pod.facts->gpu_detail + ")");
}

/// Where CUDA said nothing: neither a count nor an error of its own that stands as a finding.
bool only_files_tell(const Pod& pod) { return !pod.gpu || (pod.gpu->cuda_result < 0 && pod.gpu->stopped_in.empty()); }

void too_few(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::vector<Said> blind;
  for (const Pod& pod : roll.pods) {
    if (cuda_works(pod) && static_cast<int>(pod.gpu->gpus.size()) < gpus_needed(roll, pod)) {
      blind.push_back({&pod, seen_by_cuda(roll, pod)});
    } else if (only_files_tell(pod) && pod.facts && pod.facts->gpus_visible < gpus_needed(roll, pod)) {
      blind.push_back({&pod, seen_as_files(roll, pod)});
    }
  }
  if (blind.empty()) return;
  const bool all = blind.size() == roll.pods.size();
  findings.push_back(finding_of(
      "gpu/not-visible", "fail", all ? "job" : "node", blind,
      all ? "It is the same on every node: look at runtimeClassName and at NVIDIA_VISIBLE_DEVICES and "
            "CUDA_VISIBLE_DEVICES in the template, then at the container toolkit"
          : "The other nodes are fine: look at the driver, the device plugin and the container toolkit there"));
}

void other_counts(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::map<std::size_t, std::vector<const Pod*>> by_count;
  for (const Pod& pod : roll.pods) {
    if (cuda_works(pod)) by_count[pod.gpu->gpus.size()].push_back(&pod);
  }
  if (by_count.size() < 2) return;
  std::vector<Group> groups;
  api::NodeFinding finding{"gpu/count-differs", "warn", "", {}, "cluster"};
  for (const auto& [count, pods] : by_count) groups.push_back({counted(count, "GPU", "GPUs"), pods});
  finding.message = minority(groups, "") +
                    ". Ranks pick their GPU by number: give every container as many GPUs as it asks for, no more";
  findings.push_back(std::move(finding));
}

}  // namespace

int gpus_needed(const Roll& roll, const Pod& pod) {
  const bool whole = roll.spec.gpu_resource == "nvidia.com/gpu" && !(pod.gpu && pod.gpu->shared) &&
                     !(pod.gpu && std::any_of(pod.gpu->gpus.begin(), pod.gpu->gpus.end(),
                                              [](const GpuFact& each) { return each.mig; }));
  return whole ? roll.spec.gpus_per_pod : 1;
}

std::chrono::milliseconds device_deadline(const Roll& roll, std::chrono::milliseconds base) {
  const auto& percent = roll.spec.thresholds.deadline_percent;
  return percent ? base * percent->value / 100 : base;
}

std::vector<api::NodeFinding> judge_count(const Roll& roll) {
  std::vector<api::NodeFinding> findings;
  too_few(roll, findings);
  if (findings.empty()) other_counts(roll, findings);
  return findings;
}

}  // namespace rollcall::roll_call
