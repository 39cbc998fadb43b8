#include <time.h>

#include <array>
#include <cstring>
#include <optional>

#include "child/driver/nvml.h"
#include "child/gpu/gpu.h"
#include "child/lines.h"

namespace rollcall::child {
namespace {

using roll_call::GpuFact;

/// Links NVML may number: 36 on Blackwell's NVSwitch systems; nvml.h of CUDA 12 says 18. One past the last is refused
/// by the library, which ends the loop.
constexpr unsigned int kMaxLinks = 36;

/// Reasons that are worth a second look. The others stand whenever a GPU idles or keeps to the clocks it was told.
constexpr unsigned long long kThrottled = nvmlClocksThrottleReasonHwSlowdown | nvmlClocksEventReasonSwThermalSlowdown |
                                          nvmlClocksThrottleReasonHwThermalSlowdown |
                                          nvmlClocksThrottleReasonHwPowerBrakeSlowdown;

/// Between the two samples: a GPU that leaves idle may show a reason for a moment.
constexpr timespec kBetweenSamples{.tv_sec = 2, .tv_nsec = 0};

/// The calls about one device. A function that the library lacks, or that the device does not support, says nothing;
/// any other refusal is told in the device's `error`, once.
class Device {
 public:
  Device(const Nvml& nvml, GpuFact& gpu) : nvml_(nvml), gpu_(gpu) {}

  template <typename Function, typename... Arguments>
  bool call(const char* name, Function function, Arguments... arguments) {
    if (function == nullptr || lost_) return false;
    step(std::string(name) + " of GPU " + std::to_string(gpu_.index));
    const nvmlReturn_t result = function(arguments...);
    if (result == NVML_SUCCESS) return true;
    // Not of this device, no such link, or younger than the driver: nothing that anybody must mend.
    if (result == NVML_ERROR_NOT_SUPPORTED || result == NVML_ERROR_INVALID_ARGUMENT ||
        result == NVML_ERROR_FUNCTION_NOT_FOUND || result == NVML_ERROR_ARGUMENT_VERSION_MISMATCH)
      return false;
    // The first refusal names the cause; the rest would repeat it.
    if (told_) return false;
    told_ = true;
    gpu_.nvml_result = static_cast<int>(result);
    gpu_.error += (gpu_.error.empty() ? "" : "; ") + std::string(name) + ": " + nvml_.words_for(result);
    lost_ = result == NVML_ERROR_GPU_IS_LOST || result == NVML_ERROR_RESET_REQUIRED;
    return false;
  }

 private:
  const Nvml& nvml_;
  GpuFact& gpu_;
  bool told_ = false;
  bool lost_ = false;
};

std::string fabric_text(const nvmlGpuFabricInfo_v2_t& info) {
  switch (info.state) {
    case NVML_GPU_FABRIC_STATE_NOT_SUPPORTED:
      return "not supported";
    case NVML_GPU_FABRIC_STATE_NOT_STARTED:
      return "not started";
    case NVML_GPU_FABRIC_STATE_IN_PROGRESS:
      return "in progress";
    case NVML_GPU_FABRIC_STATE_COMPLETED:
      break;
    default:
      return "state " + std::to_string(info.state);
  }
  std::string unhealthy;
  const auto add = [&](const std::string& what) { unhealthy += (unhealthy.empty() ? "unhealthy: " : ", ") + what; };
  if (info.status != NVML_SUCCESS) add("status " + Nvml::name_of(info.status));
  const unsigned int mask = info.healthMask;
  if (NVML_GPU_FABRIC_HEALTH_TEST(mask, _DEGRADED_BW, _TRUE)) add("degraded bandwidth");
  if (NVML_GPU_FABRIC_HEALTH_TEST(mask, _ROUTE_RECOVERY, _TRUE)) add("route recovery in progress");
  if (NVML_GPU_FABRIC_HEALTH_TEST(mask, _ROUTE_UNHEALTHY, _TRUE)) add("route unhealthy");
  if (NVML_GPU_FABRIC_HEALTH_TEST(mask, _ACCESS_TIMEOUT_RECOVERY, _TRUE)) add("access timeout recovery in progress");
  return unhealthy.empty() ? "completed" : unhealthy;
}

/// Cluster UUID and clique: GPUs with both alike reach each other over NVLink. Empty when the GPU is in no cluster.
std::string clique_text(const nvmlGpuFabricInfo_v2_t& info) {
  CUuuid cluster{};
  static_assert(sizeof cluster.bytes == sizeof info.clusterUuid);
  std::memcpy(cluster.bytes, info.clusterUuid, sizeof cluster.bytes);
  const CUuuid none{};
  if (std::memcmp(&cluster, &none, sizeof none) == 0) return info.cliqueId == 0 ? "" : std::to_string(info.cliqueId);
  return uuid_text("cluster", cluster) + "/" + std::to_string(info.cliqueId);
}

void read_links(const Nvml& nvml, Device& device, nvmlDevice_t handle, GpuFact& gpu) {
  int links = 0;
  int active = 0;
  for (unsigned int link = 0; link < kMaxLinks; ++link) {
    nvmlEnableState_t state = NVML_FEATURE_DISABLED;
    if (!device.call("nvmlDeviceGetNvLinkState", nvml.nvlink_state, handle, link, &state)) break;
    ++links;
    if (state == NVML_FEATURE_ENABLED) ++active;
  }
  if (links == 0) return;
  gpu.nvlink_links = links;
  gpu.nvlink_active = active;
}

void read_memory(const Nvml& nvml, Device& device, nvmlDevice_t handle, GpuFact& gpu) {
  // v2 first: its `used` leaves out what the driver keeps for itself, which v1 counts as used on an idle GPU.
  nvmlMemory_v2_t memory{};
  memory.version = nvmlMemory_v2;
  if (device.call("nvmlDeviceGetMemoryInfo", nvml.memory_v2, handle, &memory)) {
    gpu.memory_used_bytes = static_cast<std::int64_t>(memory.used);
    return;
  }
  nvmlMemory_t old{};
  if (device.call("nvmlDeviceGetMemoryInfo", nvml.memory, handle, &old))
    gpu.memory_used_bytes = static_cast<std::int64_t>(old.used);
}

void read_health(const Nvml& nvml, Device& device, nvmlDevice_t handle, GpuFact& gpu) {
  unsigned long long ecc = 0;
  if (device.call("nvmlDeviceGetTotalEccErrors", nvml.total_ecc, handle, NVML_MEMORY_ERROR_TYPE_UNCORRECTED,
                  NVML_VOLATILE_ECC, &ecc))
    gpu.ecc_uncorrected = static_cast<std::int64_t>(ecc);
  unsigned int corrected = 0;
  unsigned int uncorrected = 0;
  unsigned int pending = 0;
  unsigned int failed = 0;
  nvmlEnableState_t retired = NVML_FEATURE_DISABLED;
  if (device.call("nvmlDeviceGetRemappedRows", nvml.remapped_rows, handle, &corrected, &uncorrected, &pending,
                  &failed)) {
    gpu.remap_pending = static_cast<int>(pending);
    gpu.remap_failed = static_cast<int>(failed);
  } else if (device.call("nvmlDeviceGetRetiredPagesPendingStatus", nvml.retired_pending, handle, &retired)) {
    gpu.remap_pending = retired == NVML_FEATURE_ENABLED ? 1 : 0;  // before Ampere: pages, with the same cure
  }
  read_links(nvml, device, handle, gpu);
  nvmlGpuFabricInfo_v2_t fabric{};
  fabric.version = nvmlGpuFabricInfo_v2;
  if (device.call("nvmlDeviceGetGpuFabricInfoV", nvml.fabric, handle, &fabric)) {
    gpu.fabric = fabric_text(fabric);
    if (fabric.state == NVML_GPU_FABRIC_STATE_COMPLETED) gpu.fabric_clique = clique_text(fabric);
  }
}

/// NVML's handle of a CUDA device, by UUID, since both libraries number devices in their own way; by address when an
/// old NVML does not know the UUID.
std::optional<nvmlDevice_t> handle_of(const Nvml& nvml, Device& device, const GpuFact& gpu) {
  nvmlDevice_t handle = nullptr;
  if (!gpu.uuid.empty() && nvml.handle_by_uuid != nullptr) {
    step("nvmlDeviceGetHandleByUUID of GPU " + std::to_string(gpu.index));
    if (nvml.handle_by_uuid(gpu.uuid.c_str(), &handle) == NVML_SUCCESS) return handle;
  }
  if (!gpu.mig && !gpu.pci.empty() &&
      device.call("nvmlDeviceGetHandleByPciBusId", nvml.handle_by_pci, gpu.pci.c_str(), &handle))
    return handle;
  return std::nullopt;
}

struct Sampled {
  GpuFact* gpu = nullptr;
  nvmlDevice_t handle = nullptr;
  unsigned long long first = 0;
};

void read_throttle(const Nvml& nvml, std::vector<Sampled>& all) {
  bool again = false;
  for (auto& each : all) {
    Device device(nvml, *each.gpu);
    if (!device.call("nvmlDeviceGetCurrentClocksEventReasons", nvml.clocks_reasons, each.handle, &each.first))
      each.first = 0;
    again = again || (each.first & kThrottled) != 0;
  }
  if (!again) return;
  step("two seconds between two samples of the clocks");
  nanosleep(&kBetweenSamples, nullptr);
  for (auto& each : all) {
    unsigned long long second = 0;
    Device device(nvml, *each.gpu);
    if ((each.first & kThrottled) != 0 &&
        device.call("nvmlDeviceGetCurrentClocksEventReasons", nvml.clocks_reasons, each.handle, &second))
      each.gpu->throttle = each.first & second;
  }
}

}  // namespace

void read_nvml(roll_call::GpuFacts& facts) {
  step("dlopen libnvidia-ml.so.1");
  const auto nvml = Nvml::load();
  if (!nvml) {
    facts.nvml_name = nvml.error().message;
    return;
  }
  facts.simulated = facts.simulated || nvml->library.simulated();
  step("nvmlInit");
  const nvmlReturn_t init = nvml->init();
  facts.nvml_result = init;
  facts.nvml_name = Nvml::name_of(init);
  if (init != NVML_SUCCESS) return;

  std::array<char, NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE> driver{};
  step("nvmlSystemGetDriverVersion");
  if (nvml->driver_version(driver.data(), driver.size()) == NVML_SUCCESS) facts.driver = driver.data();

  std::vector<Sampled> sampled;
  for (auto& gpu : facts.gpus) {
    Device device(*nvml, gpu);
    const auto handle = handle_of(*nvml, device, gpu);
    if (!handle) continue;
    read_memory(*nvml, device, *handle, gpu);
    if (gpu.mig) continue;  // health, links and clocks are the whole GPU's, which a container with a slice may not ask
    read_health(*nvml, device, *handle, gpu);
    sampled.push_back({&gpu, *handle});
  }
  read_throttle(*nvml, sampled);
  step("nvmlShutdown");
  nvml->shutdown();
}

}  // namespace rollcall::child
