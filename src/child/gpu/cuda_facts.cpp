#include <array>
#include <chrono>

#include "child/gpu/gpu.h"
#include "child/lines.h"

namespace rollcall::child {
namespace {

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// One device; the first call that fails ends it, with the words in `error`.
void read_device(const Cuda& cuda, int index, roll_call::GpuFacts& facts, roll_call::GpuFact& gpu) {
  const auto call = [&](const char* name, auto&& function, auto... arguments) {
    step(std::string(name) + " of GPU " + std::to_string(index));
    const CUresult result = function(arguments...);
    if (result == CUDA_SUCCESS) return true;
    gpu.error = std::string(name) + ": " + cuda.words_for(result);
    return false;
  };
  CUdevice device = 0;
  if (!call("cuDeviceGet", cuda.device_get, &device, index)) return;

  std::array<char, 256> text{};
  if (call("cuDeviceGetName", cuda.device_get_name, text.data(), static_cast<int>(text.size()), device))
    gpu.name = text.data();

  CUuuid parent{};
  CUuuid own{};
  if (call("cuDeviceGetUuid", cuda.device_get_uuid_v1, &parent, device)) {
    gpu.uuid = uuid_text("GPU", parent);
    // v2 gives a MIG slice its own UUID where v1 gives that of the GPU it is cut from.
    if (cuda.device_get_uuid != nullptr && call("cuDeviceGetUuid_v2", cuda.device_get_uuid, &own, device)) {
      gpu.mig = uuid_text("GPU", own) != gpu.uuid;
      if (gpu.mig) gpu.uuid = uuid_text("MIG", own);
    }
  }
  std::array<char, 32> pci{};  // "00000000:1b:00.0" and room
  if (call("cuDeviceGetPCIBusId", cuda.device_get_pci_bus_id, pci.data(), static_cast<int>(pci.size()), device))
    gpu.pci = lower_case(pci.data());  // as sysfs writes it
  call("cuDeviceGetAttribute", cuda.device_get_attribute, &gpu.compute_major,
       CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  call("cuDeviceGetAttribute", cuda.device_get_attribute, &gpu.compute_minor,
       CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  std::size_t bytes = 0;
  if (call("cuDeviceTotalMem", cuda.device_total_mem, &bytes, device))
    gpu.memory_bytes = static_cast<std::int64_t>(bytes);
  // A driver before CUDA 12 does not know it and says so; that is no fault.
  int mps = 0;
  if (cuda.device_get_attribute(&mps, CU_DEVICE_ATTRIBUTE_MPS_ENABLED, device) == CUDA_SUCCESS && mps != 0)
    facts.shared = true;
}

}  // namespace

bool read_cuda(const Cuda& cuda, roll_call::GpuFacts& facts) {
  step("cuDriverGetVersion");
  if (const auto result = cuda.driver_get_version(&facts.cuda_version); result != CUDA_SUCCESS)
    facts.error = "cuDriverGetVersion: " + cuda.words_for(result);

  step("cuInit");
  const auto began = std::chrono::steady_clock::now();
  const CUresult init = cuda.init(0);
  facts.init_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  facts.cuda_result = init;
  facts.cuda_name = cuda.name_of(init);
  if (init != CUDA_SUCCESS) {
    facts.error = "cuInit: " + cuda.words_for(init);
    return false;
  }

  step("cuDeviceGetCount");
  int count = 0;
  if (const auto result = cuda.device_get_count(&count); result != CUDA_SUCCESS) {
    facts.error = "cuDeviceGetCount: " + cuda.words_for(result);
    return false;
  }
  for (int index = 0; index < count && facts.gpus.size() < roll_call::kMaxGpus; ++index) {
    auto& gpu = facts.gpus.emplace_back();
    gpu.index = index;
    read_device(cuda, index, facts, gpu);
  }
  return true;
}

}  // namespace rollcall::child
