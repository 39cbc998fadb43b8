#pragma once

#include <nvml.h>

#include <string>

#include "base/result.h"
#include "child/driver/library.h"

namespace rollcall::child {

/// NVIDIA's management library, as far as the child asks it. Types are nvml.h's; the names carry their versions,
/// because the header's own renaming would follow the header, not the library that is loaded. All but the first five
/// may be null.
struct Nvml {
  Library library;

  nvmlReturn_t (*init)() = nullptr;
  nvmlReturn_t (*shutdown)() = nullptr;
  const char* (*error_string)(nvmlReturn_t result) = nullptr;
  nvmlReturn_t (*driver_version)(char* text, unsigned int length) = nullptr;
  nvmlReturn_t (*count)(unsigned int* count) = nullptr;

  nvmlReturn_t (*handle_by_index)(unsigned int index, nvmlDevice_t* device) = nullptr;
  nvmlReturn_t (*handle_by_uuid)(const char* uuid, nvmlDevice_t* device) = nullptr;
  nvmlReturn_t (*handle_by_pci)(const char* pci, nvmlDevice_t* device) = nullptr;
  nvmlReturn_t (*uuid)(nvmlDevice_t device, char* text, unsigned int length) = nullptr;
  nvmlReturn_t (*memory)(nvmlDevice_t device, nvmlMemory_t* memory) = nullptr;
  nvmlReturn_t (*memory_v2)(nvmlDevice_t device, nvmlMemory_v2_t* memory) = nullptr;  ///< reserved apart from used
  nvmlReturn_t (*total_ecc)(nvmlDevice_t device, nvmlMemoryErrorType_t type, nvmlEccCounterType_t counter,
                            unsigned long long* count) = nullptr;
  nvmlReturn_t (*remapped_rows)(nvmlDevice_t device, unsigned int* corrected, unsigned int* uncorrected,
                                unsigned int* pending, unsigned int* failed) = nullptr;
  nvmlReturn_t (*retired_pending)(nvmlDevice_t device, nvmlEnableState_t* pending) = nullptr;  ///< before Ampere
  nvmlReturn_t (*nvlink_state)(nvmlDevice_t device, unsigned int link, nvmlEnableState_t* active) = nullptr;
  nvmlReturn_t (*fabric)(nvmlDevice_t device, nvmlGpuFabricInfoV_t* info) = nullptr;
  nvmlReturn_t (*clocks_reasons)(nvmlDevice_t device, unsigned long long* reasons) = nullptr;
  nvmlReturn_t (*processes)(nvmlDevice_t device, unsigned int* count, nvmlProcessInfo_t* processes) = nullptr;

  /// Loads libnvidia-ml.so.1. Errors as Cuda::load's.
  static Result<Nvml> load();

  /// "LIB_RM_VERSION_MISMATCH", as nvml.h calls it without NVML_ERROR_.
  static std::string name_of(nvmlReturn_t result);
  std::string words_for(nvmlReturn_t result) const;
};

}  // namespace rollcall::child
