#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "diagnosis/cause.h"
#include "roll_call/gpu/judge.h"
#include "roll_call/said.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// NVML's clocks event reasons that no healthy, idle GPU shows (nvml.h): HW thermal slowdown, HW power brake.
constexpr std::uint64_t kThermal = 0x40;
constexpr std::uint64_t kPowerBrake = 0x80;
/// Share of the memory in use before anything of the job has started. Driver and context take 1 to 2 %.
constexpr double kUsedShare = 0.05;
/// nvmlReturn_t (nvml.h) after which no job runs on the GPU.
constexpr int kGpuIsLost = 15;
constexpr int kResetRequired = 16;

/// What one GPU has, as a clause after its name; empty = nothing.
using OfGpu = std::function<std::string(const Pod&, const GpuFact&)>;

struct Rule {
  const char* id;
  const char* severity;
  const char* owner;
  OfGpu what;
  const char* advice;
};

std::string indices(const std::vector<int>& gpus) {
  std::vector<std::string> words;
  for (const int each : gpus) words.push_back(std::to_string(each));
  return (gpus.size() == 1 ? "GPU " : "GPUs ") + listed(words, 8);
}

void apply(const Rule& rule, const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::vector<Said> said;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu) continue;
    std::map<std::string, std::vector<int>> alike;
    for (const GpuFact& gpu : pod.gpu->gpus) {
      if (const std::string what = rule.what(pod, gpu); !what.empty()) alike[what].push_back(gpu.index);
    }
    if (alike.empty()) continue;
    std::string words;
    for (const auto& [what, gpus] : alike) words += (words.empty() ? "" : ", ") + indices(gpus) + " " + what;
    said.push_back({&pod, words});
  }
  if (!said.empty()) findings.push_back(finding_of(rule.id, rule.severity, rule.owner, said, rule.advice));
}

std::string memory_in_use(const Pod& pod, const GpuFact& gpu) {
  if (gpu.mig || pod.gpu->shared || gpu.memory_bytes <= 0 || gpu.memory_used_bytes < 0) return "";
  const double share = static_cast<double>(gpu.memory_used_bytes) / static_cast<double>(gpu.memory_bytes);
  // In whole GiB, so that GPUs and nodes with much the same are one clause.
  return share <= kUsedShare ? "" : fmt::format("with {} GiB of memory in use", gpu.memory_used_bytes >> 30);
}

std::string throttled(const Pod&, const GpuFact& gpu) {
  if ((gpu.throttle & kThermal) != 0) return "slowed down for heat";
  return (gpu.throttle & kPowerBrake) != 0 ? "slowed down by the power brake" : "";
}

std::string fabric(const Pod&, const GpuFact& gpu) {
  const bool sound = gpu.fabric.empty() || gpu.fabric == "not supported" || gpu.fabric == "completed";
  return sound ? "" : fmt::format("with NVLink fabric state '{}'", gpu.fabric);
}

/// Links that are up, against the most that any GPU of this model has in this job: NVLink bridges and boards with half
/// their GPUs have fewer than the chip could, everywhere.
void fewer_links(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::map<std::string, int> most;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu) continue;
    for (const GpuFact& gpu : pod.gpu->gpus) most[gpu.name] = std::max(most[gpu.name], gpu.nvlink_active);
  }
  apply({"gpu/nvlink-down", "warn", "node",
         [&](const Pod&, const GpuFact& gpu) {
           const int links = most[gpu.name];
           return gpu.nvlink_active < 0 || gpu.nvlink_active >= links
                      ? std::string()
                      : fmt::format("with {} NVLinks up (others of the same model: {})", gpu.nvlink_active, links);
         },
         "The collective in the node shows what that costs; nvidia-smi nvlink -s on the node shows which links"},
        roll, findings);
}

void nvml(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::map<int, std::vector<Said>> by_result;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu || pod.gpu->nvml_result <= 0) continue;
    const auto* cause = diagnosis::cause_of_nvml(pod.gpu->nvml_result);
    by_result[pod.gpu->nvml_result].push_back(
        {&pod, fmt::format("NVML says {} ({}){}", pod.gpu->nvml_name.empty() ? "an error" : pod.gpu->nvml_name,
                           pod.gpu->nvml_result, cause == nullptr ? "" : ": " + std::string(cause->meaning))});
  }
  for (const auto& [result, said] : by_result) {
    const auto* cause = diagnosis::cause_of_nvml(result);
    // NCCL asks NVML as well and gives up when it cannot start. Of the other codes only CUDA shows whether they matter.
    const bool certain = result == 9 || result == kGpuIsLost || result == kResetRequired || result == 18;
    findings.push_back(
        finding_of(cause == nullptr ? fmt::format("nvml/error-{}", result) : std::string(cause->id),
                   certain ? "fail" : "warn", cause == nullptr ? "node" : std::string(cause->owner), said,
                   std::string(cause == nullptr ? "The GPUs' health is not known there" : cause->advice)));
  }
}

/// What NVML refuses of one GPU while it answers of the others. Any other refusal leaves that GPU's health unknown.
void lost_gpus(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  for (const int result : {kGpuIsLost, kResetRequired}) {
    const auto& cause = *diagnosis::cause_of_nvml(result);
    const std::string id(cause.id);
    const std::string advice(cause.advice);
    apply({id.c_str(), "fail", "node",
           [&](const Pod&, const GpuFact& gpu) {
             return gpu.nvml_result == result ? fmt::format("refused by NVML ({}): {}", gpu.error, cause.meaning) : "";
           },
           advice.c_str()},
          roll, findings);
  }
}

}  // namespace

std::vector<api::NodeFinding> judge_health(const Roll& roll) {
  std::vector<api::NodeFinding> findings;
  nvml(roll, findings);
  lost_gpus(roll, findings);
  const Rule rules[] = {
      {"gpu/remap-failed", "fail", "node",
       [](const Pod&, const GpuFact& gpu) {
         return gpu.remap_failed > 0 ? "could not replace failed memory rows" : "";
       },
       "There are no spare rows left: the next error in that memory ends the job. Drain the node and replace the GPU"},
      // A row that gave an uncorrectable error stays in use until the reset, and the job that comes upon it dies while
      // the others wait. Before the start a reset costs a minute; Azure's node health checks fail on it, too.
      {"gpu/remap-pending", "fail", "node",
       [](const Pod&, const GpuFact& gpu) {
         return gpu.remap_pending > 0 ? "waiting for a reset to replace failed memory rows" : "";
       },
       "Until then the job may come upon the failed memory and die, and the other nodes wait for it. Drain the node "
       "and "
       "reset the GPU: nvidia-smi -r -i INDEX"},
      {"gpu/ecc", "warn", "node",
       [](const Pod&, const GpuFact& gpu) {
         return gpu.ecc_uncorrected > 0 ? fmt::format("with {} uncorrectable memory errors since the driver was loaded",
                                                      gpu.ecc_uncorrected)
                                        : std::string();
       },
       "What failed was taken out of use; a GPU that does it again should be replaced"},
      {"gpu/fabric", "warn", "node", fabric,
       "The collective in the node shows whether it works; nvidia-fabricmanager and nvidia-smi -q -i INDEX on the node "
       "say more"},
      {"gpu/throttled", "warn", "node", throttled,
       "Seen twice, two seconds apart, before any work: look at cooling and power of the node. It will set the pace of "
       "all others"},
      {"gpu/memory-in-use", "warn", "node", memory_in_use,
       "Before anything of this job ran: a process left over, or another user of the GPU (GH200 and GB200 count the "
       "page "
       "cache). nvidia-smi on the node shows who"},
  };
  for (const Rule& rule : rules) apply(rule, roll, findings);
  fewer_links(roll, findings);
  return findings;
}

}  // namespace rollcall::roll_call
