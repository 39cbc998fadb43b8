#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "roll_call/gpu/judge.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// Makers of accelerators by their resource's prefix (device plugins of AMD, Intel, AWS and GKE).
constexpr std::pair<std::string_view, std::string_view> kMakers[] = {
    {"amd.com/", "an AMD GPU: there is no ROCm stage yet"},
    {"habana.ai/", "an Intel Gaudi"},
    {"gpu.intel.com/", "an Intel GPU"},
    {"aws.amazon.com/neuron", "an AWS Neuron device"},
    {"google.com/tpu", "a TPU"}};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// By its resource's name: "nvidia.com/mig-1g.10gb", "nvidia.com/gpu.shared".
std::optional<std::string> shared_by_name(const std::string& resource) {
  if (contains(resource, "/mig-")) return fmt::format("{} is a MIG slice, and NCCL does not support MIG", resource);
  if (contains(resource, ".shared"))
    return fmt::format("{} is a shared GPU: two ranks may be on the same one, which NCCL refuses", resource);
  return std::nullopt;
}

std::vector<const Pod*> those(const Roll& roll, bool (*is)(const Pod&)) {
  std::vector<const Pod*> pods;
  for (const Pod& pod : roll.pods) {
    if (is(pod)) pods.push_back(&pod);
  }
  return pods;
}

std::string said(const std::vector<const Pod*>& pods, const std::string& what) {
  return fmt::format("{}: {}", listed(pods, who_briefly), what);
}

bool has_mig(const Pod& pod) {
  return pod.gpu &&
         std::any_of(pod.gpu->gpus.begin(), pod.gpu->gpus.end(), [](const GpuFact& each) { return each.mig; });
}
bool is_shared(const Pod& pod) { return pod.gpu && pod.gpu->shared; }
bool unknown(const Pod& pod) { return !pod.gpu; }
bool without_cuda(const Pod& pod) { return pod.gpu && pod.gpu->cuda_result != 0; }
bool without_nccl(const Pod& pod) { return !pod.nccl || pod.nccl->path.empty(); }
bool static_nccl(const Pod& pod) { return pod.nccl && pod.nccl->path.empty() && !pod.nccl->linked_statically.empty(); }

bool unread_image(const Pod& pod) { return without_nccl(pod) && pod.nccl && pod.nccl->cut_short; }

bool mute_nccl(const Pod& pod) {
  return pod.nccl && !pod.nccl->path.empty() && pod.nccl->interface_result < 0 && !pod.nccl->error.empty();
}

constexpr std::string_view kBundled = "rollCall.nccl: Bundled tries the collectives with the probe's own";

}  // namespace

std::optional<std::string> not_nvidia(const Roll& roll) {
  const auto& spec = roll.spec;
  if (spec.gpus_per_pod <= 0 || spec.gpu_resource.empty()) return "the job asks for no GPU";
  if (spec.gpu_resource.rfind("nvidia.com/", 0) == 0) return std::nullopt;
  const auto maker = std::find_if(std::begin(kMakers), std::end(kMakers),
                                  [&](const auto& each) { return spec.gpu_resource.rfind(each.first, 0) == 0; });
  return fmt::format("{} is {}; CUDA and NCCL have nothing to say of it", spec.gpu_resource,
                     maker == std::end(kMakers) ? "not NVIDIA's" : maker->second);
}

std::optional<std::string> nccl_skipped(const Roll& roll) {
  if (auto other = not_nvidia(roll)) return other;
  if (auto shared = shared_by_name(roll.spec.gpu_resource)) return shared;
  if (const auto pods = those(roll, unknown); !pods.empty()) return said(pods, "nothing is known of its GPUs");
  if (const auto pods = those(roll, not_asked); !pods.empty()) {
    const std::string& why = pods.front()->gpu->error;
    return said(pods, why.empty() ? "the probe's child could not run" : why);
  }
  if (const auto pods = those(roll, without_cuda); !pods.empty()) {
    const GpuFacts& first = *pods.front()->gpu;
    return said(pods, first.cuda_result > 0 || first.error.empty() ? "CUDA does not start" : first.error);
  }
  if (const auto pods = those(roll, has_mig); !pods.empty())
    return said(pods, "the GPUs are MIG slices, and NCCL does not support MIG");
  if (const auto pods = those(roll, is_shared); !pods.empty())
    return said(pods, "the GPUs are shared (MPS or time-slicing), and NCCL refuses two ranks on one GPU");
  if (time_sliced(roll)) return "two pods share a GPU (time-slicing), and NCCL refuses two ranks on one GPU";
  return std::nullopt;
}

std::optional<std::string> collectives_skipped(const Roll& roll) {
  if (auto why = nccl_skipped(roll)) return why;
  if (const auto pods = those(roll, static_nccl); !pods.empty())
    return said(pods, fmt::format("NCCL is linked into {} and cannot be called by itself; {}",
                                  pods.front()->nccl->linked_statically, kBundled));
  if (const auto pods = those(roll, unread_image); !pods.empty()) return said(pods, pods.front()->nccl->error);
  if (const auto pods = those(roll, without_nccl); !pods.empty())
    return said(pods, fmt::format("no libnccl was found in the image; {}", kBundled));
  if (const auto pods = those(roll, mute_nccl); !pods.empty())
    return said(pods, fmt::format("{} could not be asked ({})", pods.front()->nccl->path, pods.front()->nccl->error));
  return std::nullopt;
}

std::string partial_environment(const Roll& roll) {
  if (!roll.spec.partial_environment.empty()) return roll.spec.partial_environment;
  for (const Pod& pod : roll.pods) {
    if (!pod.nccl || pod.nccl->fidelity.empty()) continue;
    constexpr std::string_view kPrefix = "partial: ";
    const std::string& why = pod.nccl->fidelity;
    return fmt::format("{} on {}", why.rfind(kPrefix, 0) == 0 ? why.substr(kPrefix.size()) : why, node_or_pod(pod));
  }
  return "";
}

std::optional<std::string> cross_node_skipped(const Roll& roll) {
  const std::string why = partial_environment(roll);
  if (why.empty()) return std::nullopt;
  return fmt::format(
      "the probe's environment is only part of the trainer's ({}): a failure would prove nothing. rollCall.setup can "
      "make the environment",
      why);
}

}  // namespace rollcall::roll_call
