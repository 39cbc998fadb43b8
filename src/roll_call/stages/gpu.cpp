#include <fmt/format.h>

#include <algorithm>

#include "roll_call/gpu/judge.h"
#include "roll_call/stages/stage.h"
#include "roll_call/words.h"

namespace rollcall::roll_call::stages {
namespace {

bool done(const Pod& pod) { return pod.gpu.has_value(); }

/// Whatever the reason: a stage that saw nothing there has not passed.
bool not_asked(const Pod& pod) { return pod.gpu && pod.gpu->cuda_result < 0; }

/// "aws.amazon.com/neuron … (neuron 16 on 4 nodes)": what stands there of another maker.
std::string others_seen(const Roll& roll) {
  std::vector<std::string> kinds;
  for (const Pod& pod : roll.pods) {
    if (pod.gpu && !pod.gpu->other.empty() && std::find(kinds.begin(), kinds.end(), pod.gpu->other) == kinds.end())
      kinds.push_back(pod.gpu->other);
  }
  return kinds.empty() ? "" : fmt::format(" ({} seen a node)", listed(kinds));
}

}  // namespace

Progress gpu(Roll& roll, TimePoint now) {
  if (roll.spec.gpus_per_pod <= 0 || roll.spec.gpu_resource.empty()) return {Outcome::Skipped, *not_nvidia(roll)};
  if (!settled(roll, Stage::Gpu, now, *gpu_due(roll), "told what CUDA and NVML say", done)) return {};
  if (const auto other = not_nvidia(roll)) return {Outcome::Skipped, *other + others_seen(roll)};

  auto cuda = judge_cuda(roll);
  for (std::size_t i = 0; i < cuda.findings.size(); ++i)
    add(roll, Stage::Gpu, std::move(cuda.findings[i]), cuda.jobs_own && i == 0);
  for (const auto& rule : {judge_count, judge_duplicates, judge_versions, judge_health}) {
    for (auto& finding : rule(roll)) add(roll, Stage::Gpu, std::move(finding));
  }
  const auto result = by_findings(roll, Stage::Gpu, gpu_remark(roll));
  const auto blind = std::count_if(roll.pods.begin(), roll.pods.end(), not_asked);
  if (result.outcome != Outcome::Passed || blind == 0) return result;
  return {Outcome::Skipped,
          fmt::format("on {} of {} nodes CUDA could not be asked: {}", blind, roll.nnodes(), *nccl_skipped(roll))};
}

Order gpu_order(const Roll&, const Pod& pod) { return {done(pod) ? Step::Wait : Step::Gpu}; }

std::optional<TimePoint> gpu_due(const Roll& roll) {
  const auto setup = roll.spec.settings.setup.empty() ? 0s : kSetupDeadline + kKill;
  return roll.step_from + device_deadline(roll, kGpuDeadline + setup);
}

}  // namespace rollcall::roll_call::stages
