#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "roll_call/compare.h"
#include "roll_call/gpu/judge.h"
#include "roll_call/said.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// 12040 → "12.4".
std::string cuda_words(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

/// First CUDA that compiles for an architecture (PTX ISA release history: 7.0 = CUDA 11.0 has sm_80, 7.8 = 11.8 has
/// sm_90, 8.7 = 12.8 has sm_100 and sm_120). By major capability: code for 8.0 runs on 8.6 and 8.9.
struct Architecture {
  int major;
  int cuda;
};
constexpr Architecture kArchitectures[] = {{8, 11000}, {9, 11080}, {10, 12080}, {12, 12080}};

/// A driver runs what any CUDA of its own major version built (minor version compatibility, since CUDA 11), and what
/// older majors built. A cuda-compat library in the image counts: it is the libcuda that was asked.
void older_than_torch(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::vector<Said> older;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu || pod.gpu->cuda_version <= 0 || pod.gpu->torch_cuda <= 0) continue;
    if (pod.gpu->cuda_version / 1000 >= pod.gpu->torch_cuda / 1000) continue;
    older.push_back({&pod, fmt::format("driver {} supports CUDA {}, but torch in the image was built for CUDA {}",
                                       pod.gpu->driver.empty() ? "(version not read)" : pod.gpu->driver,
                                       cuda_words(pod.gpu->cuda_version), cuda_words(pod.gpu->torch_cuda))});
  }
  if (older.empty()) return;
  // What the image's shell would set (LD_LIBRARY_PATH to a cuda-compat directory) may be missing here.
  const bool certain = partial_environment(roll).empty();
  findings.push_back(
      finding_of("gpu/driver-older-than-torch", certain ? "fail" : "warn",
                 older.size() == roll.pods.size() ? "job" : "node", older,
                 "torch will say that the driver version is insufficient. Upgrade the driver, use an image "
                 "for an older CUDA, or one with the cuda-compat package"));
}

void newer_than_torch_knows(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::vector<Said> newer;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu || pod.gpu->torch_cuda <= 0) continue;
    for (const GpuFact& gpu : pod.gpu->gpus) {
      const auto* known = std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                                       [&](const Architecture& each) { return each.major == gpu.compute_major; });
      if (known == std::end(kArchitectures) || pod.gpu->torch_cuda >= known->cuda) continue;
      newer.push_back(
          {&pod, fmt::format("{} has compute capability {}.{}, which CUDA knows since {}; torch was built for "
                             "CUDA {}",
                             gpu.name.empty() ? "the GPU" : gpu.name, gpu.compute_major, gpu.compute_minor,
                             cuda_words(known->cuda), cuda_words(pod.gpu->torch_cuda))});
      break;
    }
  }
  if (!newer.empty())
    findings.push_back(
        finding_of("gpu/newer-than-torch", "warn", "job", newer,
                   "Kernels are compiled from PTX at the first use, slowly, or there are none for this GPU "
                   "(\"no kernel image is available\"): use an image built for a newer CUDA"));
}

std::string branch_of(const std::string& driver) { return driver.substr(0, driver.find('.')); }

std::string model_of(const Pod& pod) {
  std::set<std::string> names;
  for (const GpuFact& gpu : pod.gpu->gpus) names.insert(gpu.name);
  return listed(std::vector<std::string>(names.begin(), names.end()));
}

void warn_of_minority(const Roll& roll, const char* rule, const char* noun, std::string (*value)(const Pod&),
                      const char* advice, std::vector<api::NodeFinding>& findings) {
  std::map<std::string, std::vector<const Pod*>> by_value;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu) continue;
    if (const std::string read = value(pod); !read.empty()) by_value[read].push_back(&pod);
  }
  if (by_value.size() < 2) return;
  std::vector<Group> groups;
  std::size_t most = 0;
  for (const auto& [read, pods] : by_value) {
    groups.push_back({read, pods});
    most = std::max(most, pods.size());
  }
  api::NodeFinding finding{rule, "warn", minority(groups, noun) + ". " + advice, {}, "cluster"};
  for (const Group& group : groups) {
    if (group.pods.size() == most) continue;
    for (const Pod* pod : group.pods) finding.node_ranks.push_back(pod->node_rank);
  }
  std::sort(finding.node_ranks.begin(), finding.node_ranks.end());
  findings.push_back(std::move(finding));
}

}  // namespace

std::vector<api::NodeFinding> judge_versions(const Roll& roll) {
  std::vector<api::NodeFinding> findings;
  older_than_torch(roll, findings);
  newer_than_torch_knows(roll, findings);
  warn_of_minority(
      roll, "gpu/driver-branch", "NVIDIA driver branch ", [](const Pod& pod) { return branch_of(pod.gpu->driver); },
      "That happens during a rolling upgrade and breaks nothing by itself", findings);
  warn_of_minority(roll, "gpu/model", "", model_of, "The slowest GPU sets the pace of all", findings);
  return findings;
}

std::string gpu_remark(const Roll& roll) {
  std::map<std::string, std::size_t> count;
  bool simulated = false;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu || pod.gpu->gpus.empty()) continue;
    simulated = simulated || pod.gpu->simulated;
    std::string words = fmt::format("{} x {} a node", pod.gpu->gpus.size(), model_of(pod));
    if (!pod.gpu->driver.empty()) words += ", driver " + pod.gpu->driver;
    if (pod.gpu->cuda_version > 0) words += ", CUDA " + cuda_words(pod.gpu->cuda_version);
    ++count[words];
  }
  const auto most =
      std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == count.end()) return "";
  return most->first + (simulated ? " (simulated)" : "");
}

}  // namespace rollcall::roll_call
