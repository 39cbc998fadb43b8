#include <fmt/format.h>

#include <map>

#include "diagnosis/cause.h"
#include "roll_call/gpu/judge.h"
#include "roll_call/said.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// cuInit takes 1 to 5 s with persistence mode off on eight GPUs; above 20 s every process of the job pays that.
constexpr double kSlowInit = 20;
constexpr int kStubLibrary = 34;

bool seen_files(const Roll& roll, const Pod& pod) {
  return pod.facts && pod.facts->gpus_visible >= gpus_needed(roll, pod);
}

void never_ended(const Roll& roll, GpuFindings& out) {
  std::vector<Said> stopped;
  std::vector<Said> stuck;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu || pod.gpu->stopped_in.empty()) continue;
    const std::string where = "the probe's child had been in " + without_in(pod.gpu->stopped_in);
    if (pod.gpu->stuck) {
      stuck.push_back({&pod, where + ", and SIGKILL does not end it"});
    } else {
      stopped.push_back({&pod, where + " when it was killed"});
    }
  }
  if (!stuck.empty())
    out.findings.push_back(finding_of("gpu/driver-stuck", "fail", "node", stuck,
                                      "A driver call that the kernel cannot interrupt: drain the node and restart it; "
                                      "the pod may stay Terminating until then"));
  if (!stopped.empty())
    out.findings.push_back(finding_of("gpu/no-answer", "fail", "node", stopped,
                                      "The driver did not answer in time: look at its messages on the node (dmesg, "
                                      "nvidia-smi), and whether nvidia-smi hangs there too"));
}

/// Device nodes are there but the library is not. Without device nodes either, the count tells it.
void no_library(const Roll& roll, GpuFindings& out) {
  std::vector<Said> without;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu || pod.gpu->library || !pod.gpu->stopped_in.empty() || not_asked(pod)) continue;
    if (!seen_files(roll, pod)) continue;
    without.push_back({&pod, fmt::format("{} GPU device nodes are in the container, but libcuda.so.1 is not ({})",
                                         pod.facts->gpus_visible, pod.gpu->error)});
  }
  if (without.empty()) return;
  out.findings.push_back(
      finding_of("gpu/no-libcuda", "fail", without.size() == roll.pods.size() ? "job" : "node", without,
                 "The container toolkit mounts it: NVIDIA_DRIVER_CAPABILITIES must be unset, all, or "
                 "have compute and utility"));
}

void failed_init(const Roll& roll, GpuFindings& out) {
  std::map<int, std::vector<Said>> by_result;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu || pod.gpu->cuda_result <= 0) continue;
    const auto* cause = diagnosis::cause_of_cuda(pod.gpu->cuda_result);
    by_result[pod.gpu->cuda_result].push_back(
        {&pod, fmt::format("cuInit says {} ({}){}", pod.gpu->cuda_name.empty() ? "an error" : pod.gpu->cuda_name,
                           pod.gpu->cuda_result, cause == nullptr ? "" : ": " + std::string(cause->meaning))});
  }
  for (const auto& [result, said] : by_result) {
    const auto* cause = diagnosis::cause_of_cuda(result);
    const bool all = said.size() == roll.pods.size();
    // What ails some nodes only is not in the template.
    std::string owner(cause == nullptr ? "node" : cause->owner);
    if (!all && owner == "job" && result != kStubLibrary) owner = "node";
    std::string advice(cause == nullptr ? "Look at the driver's messages on the node: dmesg, nvidia-smi"
                                        : cause->advice);
    if (!all) advice += fmt::format(". {} of {} nodes are fine", roll.pods.size() - said.size(), roll.pods.size());
    auto finding = finding_of(cause == nullptr ? fmt::format("cuda/error-{}", result) : std::string(cause->id), "fail",
                              owner, said, advice);
    // The stub is in the image, on whatever node.
    if (result == kStubLibrary && all) {
      out.jobs_own = true;
      out.findings.insert(out.findings.begin(), std::move(finding));
    } else {
      out.findings.push_back(std::move(finding));
    }
  }
}

void slow_init(const Roll& roll, GpuFindings& out) {
  std::vector<Said> slow;
  for (const Pod& pod : roll.pods) {
    if (pod.gpu && pod.gpu->cuda_result == 0 && pod.gpu->init_seconds > kSlowInit)
      slow.push_back({&pod, fmt::format("cuInit took {:.0f} s", pod.gpu->init_seconds)});
  }
  if (!slow.empty())
    out.findings.push_back(finding_of("gpu/slow-init", "warn", "node", slow,
                                      "Every process of the job waits as long. Switch on persistence mode: "
                                      "nvidia-persistenced, or nvidia-smi -pm 1, on the node"));
}

/// The trainer lives in the same image, so these are no failures by themselves; but nothing, or not all, was seen. A
/// crash within a call of CUDA's is one: the trainer makes it too.
void not_all_asked(const Roll& roll, GpuFindings& out) {
  std::vector<Said> not_started;
  std::vector<Said> cut_short;
  std::vector<Said> in_cuda;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu || !(pod.gpu->not_started || pod.gpu->cut_short)) continue;
    auto& which = pod.gpu->not_started ? not_started : pod.gpu->cut_in.rfind("cu", 0) == 0 ? in_cuda : cut_short;
    which.push_back({&pod, pod.gpu->error.empty() ? "no reason given" : pod.gpu->error});
  }
  if (!not_started.empty())
    out.findings.push_back(finding_of("probe/child-cannot-run", "warn", "job", not_started,
                                      "CUDA, NVML, NCCL and the collectives were not tried there. The program that "
                                      "asks them runs in the trainer's image and with its rights, and needs glibc "
                                      "2.17 or later there"));
  if (!in_cuda.empty())
    out.findings.push_back(finding_of("gpu/call-crashes", "fail", "node", in_cuda,
                                      "The trainer's first CUDA calls are the same ones: look at the libcuda that is "
                                      "loaded, at dmesg on the node, and at the container's memory limit when the "
                                      "signal was SIGKILL"));
  if (!cut_short.empty())
    out.findings.push_back(finding_of("probe/child-crashed", "warn", "node", cut_short,
                                      "What it had not yet asked is not known there. The trainer makes the same calls "
                                      "into the driver: look at its messages on the node (dmesg, nvidia-smi), and at "
                                      "the container's memory limit when the signal was SIGKILL"));
}

}  // namespace

bool not_asked(const Pod& pod) {
  return pod.gpu && (pod.gpu->not_started || (pod.gpu->cut_short && pod.gpu->cuda_result < 0));
}

GpuFindings judge_cuda(const Roll& roll) {
  GpuFindings out;
  failed_init(roll, out);
  never_ended(roll, out);
  no_library(roll, out);
  slow_init(roll, out);
  not_all_asked(roll, out);
  return out;
}

}  // namespace rollcall::roll_call
