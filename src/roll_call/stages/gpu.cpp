#include <fmt/format.h>

#include <map>

#include "roll_call/stages/stage.h"
#include "roll_call/words.h"

namespace rollcall::roll_call::stages {
namespace {

/// How many device nodes must be there for the request to be possible. Only whole GPUs map to one device node each;
/// slices, shared and time-sliced resources need at least one.
int needed(const api::RollCallSpec& spec) { return spec.gpu_resource == "nvidia.com/gpu" ? spec.gpus_per_pod : 1; }

}  // namespace

Progress gpu(Roll& roll, TimePoint) {
  const auto& spec = roll.spec;
  if (spec.gpus_per_pod <= 0 || spec.gpu_resource.empty()) return {Outcome::Skipped, "the job asks for no GPU"};
  if (spec.gpu_resource.rfind("nvidia.com/", 0) != 0) {
    return {Outcome::Skipped, fmt::format("{} is not NVIDIA's: this version has no check for it", spec.gpu_resource)};
  }

  // Nodes that fail alike are one finding.
  std::map<std::pair<int, std::string>, std::vector<const Pod*>> blind;
  for (const Pod& pod : roll.pods) {
    if (pod.facts && pod.facts->gpus_visible < needed(spec))
      blind[{pod.facts->gpus_visible, pod.facts->gpu_detail}].push_back(&pod);
  }
  for (const auto& [seen, pods] : blind) {
    const auto& [visible, detail] = seen;
    const bool all = pods.size() == roll.pods.size();
    api::NodeFinding finding{
        "gpu/not-visible",
        "fail",
        fmt::format(
            "{}: {} of the {} {} asked for can be opened in the container{}. {}", listed(pods, who), visible,
            spec.gpus_per_pod, spec.gpu_resource, detail.empty() ? "" : " (" + detail + ")",
            all ? "It is the same on every node: look at runtimeClassName and at NVIDIA_VISIBLE_DEVICES in the "
                  "template, then at the container toolkit"
                : "The other nodes are fine: look at the driver, the device plugin and the container toolkit there"),
        {},
        all ? "job" : "node"};
    for (const Pod* pod : pods) finding.node_ranks.push_back(pod->node_rank);
    add(roll, Stage::Gpu, std::move(finding));
  }
  const auto result = by_findings(roll, Stage::Gpu);
  if (result.outcome == Outcome::Failed) return result;
  return {Outcome::Skipped, "CUDA and NCCL stages are not part of this version"};
}

}  // namespace rollcall::roll_call::stages
