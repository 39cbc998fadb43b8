#include "child/driver/nvml.h"

#include <array>
#include <utility>

namespace rollcall::child {

Result<Nvml> Nvml::load() {
  auto library = Library::open("libnvidia-ml.so.1");
  if (!library) return library.error();
  Nvml nvml{.library = std::move(*library)};
  const Library& from = nvml.library;
  std::string missing;
  const auto need = [&](auto& function, const char* name) {
    from.find(function, name);
    if (function == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  need(nvml.init, "nvmlInit_v2");
  need(nvml.shutdown, "nvmlShutdown");
  need(nvml.error_string, "nvmlErrorString");
  need(nvml.driver_version, "nvmlSystemGetDriverVersion");
  need(nvml.count, "nvmlDeviceGetCount_v2");
  if (!missing.empty()) return Error{from.path() + " is no NVML: it lacks " + missing, "incomplete"};
  from.find(nvml.handle_by_index, "nvmlDeviceGetHandleByIndex_v2");
  from.find(nvml.handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  from.find(nvml.handle_by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
  from.find(nvml.uuid, "nvmlDeviceGetUUID");
  from.find(nvml.memory, "nvmlDeviceGetMemoryInfo");
  from.find(nvml.memory_v2, "nvmlDeviceGetMemoryInfo_v2");
  from.find(nvml.total_ecc, "nvmlDeviceGetTotalEccErrors");
  from.find(nvml.remapped_rows, "nvmlDeviceGetRemappedRows");
  from.find(nvml.retired_pending, "nvmlDeviceGetRetiredPagesPendingStatus");
  from.find(nvml.nvlink_state, "nvmlDeviceGetNvLinkState");
  from.find(nvml.fabric, "nvmlDeviceGetGpuFabricInfoV");
  from.find(nvml.clocks_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  if (nvml.clocks_reasons == nullptr) from.find(nvml.clocks_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  from.find(nvml.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  return nvml;
}

std::string Nvml::name_of(nvmlReturn_t result) {
  static constexpr std::array kNames{
      std::pair{NVML_SUCCESS, "SUCCESS"},
      std::pair{NVML_ERROR_UNINITIALIZED, "UNINITIALIZED"},
      std::pair{NVML_ERROR_INVALID_ARGUMENT, "INVALID_ARGUMENT"},
      std::pair{NVML_ERROR_NOT_SUPPORTED, "NOT_SUPPORTED"},
      std::pair{NVML_ERROR_NO_PERMISSION, "NO_PERMISSION"},
      std::pair{NVML_ERROR_NOT_FOUND, "NOT_FOUND"},
      std::pair{NVML_ERROR_DRIVER_NOT_LOADED, "DRIVER_NOT_LOADED"},
      std::pair{NVML_ERROR_TIMEOUT, "TIMEOUT"},
      std::pair{NVML_ERROR_LIBRARY_NOT_FOUND, "LIBRARY_NOT_FOUND"},
      std::pair{NVML_ERROR_FUNCTION_NOT_FOUND, "FUNCTION_NOT_FOUND"},
      std::pair{NVML_ERROR_GPU_IS_LOST, "GPU_IS_LOST"},
      std::pair{NVML_ERROR_RESET_REQUIRED, "RESET_REQUIRED"},
      std::pair{NVML_ERROR_OPERATING_SYSTEM, "OPERATING_SYSTEM"},
      std::pair{NVML_ERROR_LIB_RM_VERSION_MISMATCH, "LIB_RM_VERSION_MISMATCH"},
      std::pair{NVML_ERROR_IN_USE, "IN_USE"},
      std::pair{NVML_ERROR_MEMORY, "MEMORY"},
      std::pair{NVML_ERROR_GPU_NOT_FOUND, "GPU_NOT_FOUND"},
      std::pair{NVML_ERROR_UNKNOWN, "UNKNOWN"},
  };
  for (const auto& [code, name] : kNames)
    if (code == result) return name;
  return "NVML error " + std::to_string(static_cast<int>(result));
}

std::string Nvml::words_for(nvmlReturn_t result) const {
  std::string words = name_of(result);
  if (const char* text = error_string(result); text != nullptr) words += std::string(": ") + text;
  return words;
}

}  // namespace rollcall::child
