// libnvidia-ml.so.1, as far as Rollcall's child asks it.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "doubles/export.h"
#include "doubles/scenario/device.h"
#include "doubles/scenario/scenario.h"

using namespace rollcall::doubles;

using nvmlReturn_t = int;
using Handle = void*;  // 1 + index in the machine

ROLLCALL_DOUBLE_ANNOUNCES

namespace {

enum : nvmlReturn_t {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNotFound = 6,
  kInsufficientSize = 7,
};

bool initialized = false;

const std::vector<Gpu>& gpus() {
  static const auto& all = *new std::vector<Gpu>(machine_gpus());
  return all;
}

std::size_t shown() {
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(Scenario::get().number("nvml_gpus", {}, static_cast<std::int64_t>(gpus().size())), 0,
                               static_cast<std::int64_t>(gpus().size())));
}

Where at(Handle handle) { return Where{.gpu = static_cast<int>(reinterpret_cast<std::uintptr_t>(handle)) - 1}; }

/// The fault of this call: NVML not initialised, no such handle, or `nvml_gpu = CODE` (15: the GPU is lost).
nvmlReturn_t check(Handle handle) {
  if (!initialized) return kUninitialized;
  const auto where = at(handle);
  if (where.gpu < 0 || static_cast<std::size_t>(where.gpu) >= gpus().size()) return kInvalidArgument;
  return static_cast<nvmlReturn_t>(Scenario::get().number("nvml_gpu", where, kSuccess));
}

nvmlReturn_t put(const std::string& text, char* buffer, unsigned length) {
  if (text.size() + 1 > length) return kInsufficientSize;
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return kSuccess;
}

std::int64_t number(const char* key, Handle handle, std::int64_t otherwise) {
  return Scenario::get().number(key, at(handle), otherwise);
}

nvmlReturn_t start() {
  enter("nvmlInit", {});
  const auto result = static_cast<nvmlReturn_t>(Scenario::get().number("nvml_init", {}, kSuccess));
  initialized = result == kSuccess;
  return result;
}

struct ErrorName {
  nvmlReturn_t result;
  const char* words;
};
// nvmlErrorString's words.
constexpr std::array kNames = {
    ErrorName{0, "Success"},
    ErrorName{1, "Uninitialized"},
    ErrorName{2, "Invalid Argument"},
    ErrorName{3, "Not Supported"},
    ErrorName{4, "Insufficient Permissions"},
    ErrorName{6, "Not Found"},
    ErrorName{7, "Insufficient Size"},
    ErrorName{9, "Driver Not Loaded"},
    ErrorName{12, "NVML Shared Library Not Found"},
    ErrorName{13, "Function Not Found"},
    ErrorName{15, "GPU is lost"},
    ErrorName{16, "GPU requires restart"},
    ErrorName{17, "The operating system has blocked the request"},
    ErrorName{18, "Driver/library version mismatch"},
    ErrorName{999, "Unknown Error"},
};

}  // namespace

ROLLCALL_EXPORT nvmlReturn_t nvmlInit_v2() { return start(); }
ROLLCALL_EXPORT nvmlReturn_t nvmlInitWithFlags(unsigned) { return start(); }
ROLLCALL_EXPORT nvmlReturn_t nvmlShutdown() {
  initialized = false;
  return kSuccess;
}

ROLLCALL_EXPORT const char* nvmlErrorString(nvmlReturn_t result) {
  for (const auto& entry : kNames)
    if (entry.result == result) return entry.words;
  return "Unknown Error";
}

ROLLCALL_EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned length) {
  return put(Scenario::get().text("driver", {}, "550.54.15"), version, length);
}
ROLLCALL_EXPORT nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned length) {
  return put("12." + Scenario::get().text("driver", {}, "550.54.15"), version, length);
}
ROLLCALL_EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = static_cast<int>(Scenario::get().number("cuda_version", {}, 12040));
  return kSuccess;
}

ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  if (!initialized) return kUninitialized;
  *count = static_cast<unsigned>(shown());
  return kSuccess;
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, Handle* handle) {
  if (!initialized) return kUninitialized;
  if (index >= shown()) return kInvalidArgument;
  *handle = reinterpret_cast<Handle>(static_cast<std::uintptr_t>(index) + 1);
  return check(*handle);
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, Handle* handle) {
  if (!initialized) return kUninitialized;
  for (std::size_t i = 0; i < shown(); ++i)
    if (gpus()[i].uuid == uuid) {
      *handle = reinterpret_cast<Handle>(i + 1);
      return check(*handle);
    }
  return kNotFound;
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* pci, Handle* handle) {
  if (!initialized) return kUninitialized;
  for (std::size_t i = 0; i < shown(); ++i)
    if (std::string(pci).ends_with(gpus()[i].pci)) {
      *handle = reinterpret_cast<Handle>(i + 1);
      return check(*handle);
    }
  return kNotFound;
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetIndex(Handle handle, unsigned* index) {
  *index = static_cast<unsigned>(at(handle).gpu);
  return check(handle);
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetUUID(Handle handle, char* uuid, unsigned length) {
  const auto fault = check(handle);
  return fault != kSuccess ? fault : put(gpus()[static_cast<std::size_t>(at(handle).gpu)].uuid, uuid, length);
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetName(Handle handle, char* name, unsigned length) {
  const auto fault = check(handle);
  return fault != kSuccess ? fault : put(gpus()[static_cast<std::size_t>(at(handle).gpu)].name, name, length);
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetSerial(Handle handle, char* serial, unsigned length) {
  const auto fault = check(handle);
  return fault != kSuccess ? fault : put("165320" + std::to_string(1000 + at(handle).gpu), serial, length);
}

struct PciInfo {  // nvmlPciInfo_t of version 3
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(Handle handle, PciInfo* info) {
  if (const auto fault = check(handle); fault != kSuccess) return fault;
  *info = {};
  const auto& pci = gpus()[static_cast<std::size_t>(at(handle).gpu)].pci;
  std::strncpy(info->busIdLegacy, pci.c_str(), sizeof info->busIdLegacy - 1);
  std::strncpy(info->busId, ("0000" + pci).c_str(), sizeof info->busId - 1);
  std::sscanf(pci.c_str(), "%x:%x:%x", &info->domain, &info->bus, &info->device);
  return kSuccess;
}

ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetMigMode(Handle handle, unsigned* now, unsigned* pending) {
  if (const auto fault = check(handle); fault != kSuccess) return fault;
  *now = *pending = Scenario::get().flag("mig", at(handle)) ? 1 : 0;
  return kSuccess;
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(Handle handle, unsigned index, Handle* slice) {
  if (const auto fault = check(handle); fault != kSuccess) return fault;
  if (index != 0 || !Scenario::get().flag("mig", at(handle))) return kNotFound;
  *slice = handle;
  return kSuccess;
}

struct Memory {
  unsigned long long total, free, used;
};
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(Handle handle, Memory* memory) {
  if (const auto fault = check(handle); fault != kSuccess) return fault;
  const auto& gpu = gpus()[static_cast<std::size_t>(at(handle).gpu)];
  memory->total = static_cast<unsigned long long>(gpu.memory_bytes);
  memory->used = static_cast<unsigned long long>(gpu.used_bytes);
  memory->free = memory->total - memory->used;
  return kSuccess;
}
struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(Handle handle, MemoryV2* memory) {
  Memory plain{};
  const auto result = nvmlDeviceGetMemoryInfo(handle, &plain);
  *memory = {memory->version, plain.total, 0, plain.free, plain.used};
  return result;
}

ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetEccMode(Handle handle, unsigned* now, unsigned* pending) {
  *now = *pending = 1;
  return check(handle);
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetTotalEccErrors(Handle handle, int type, int, unsigned long long* count) {
  *count = type == 1 ? static_cast<unsigned long long>(number("ecc_uncorrected", handle, 0)) : 0;
  return check(handle);
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetRemappedRows(Handle handle, unsigned* corrected, unsigned* uncorrected,
                                                       unsigned* pending, unsigned* failure) {
  *corrected = 0;
  *pending = static_cast<unsigned>(number("remap_pending", handle, 0));
  *failure = static_cast<unsigned>(number("remap_failed", handle, 0));
  *uncorrected = *pending != 0 || *failure != 0 ? 1 : 0;
  return check(handle);
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetRetiredPagesPendingStatus(Handle handle, int* pending) {
  *pending = 0;
  return check(handle) == kSuccess ? kNotSupported : check(handle);
}

ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetNvLinkState(Handle handle, unsigned link, int* active) {
  if (const auto fault = check(handle); fault != kSuccess) return fault;
  const auto links = number("nvlink_links", handle, 18);  // H100 SXM
  if (links == 0) return kNotSupported;
  if (link >= static_cast<unsigned>(links)) return kInvalidArgument;
  *active = link < static_cast<unsigned>(number("nvlink_active", handle, links)) ? 1 : 0;
  return kSuccess;
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetNvLinkErrorCounter(Handle handle, unsigned, int, unsigned long long* value) {
  *value = 0;
  return check(handle);
}

/// nvml.h, nvmlGpuFabricInfo_v2_t, _v3_t: `version` is asked for by the caller.
struct FabricInfo {
  unsigned version;
  unsigned char clusterUuid[16];
  nvmlReturn_t status;
  unsigned cliqueId;
  unsigned char state;
  unsigned healthMask;
  unsigned char healthSummary;  // since version 3
};
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(Handle handle, FabricInfo* info) {
  if (const auto fault = check(handle); fault != kSuccess) return fault;
  const auto state = Scenario::get().text("fabric", at(handle), "completed");
  const auto uuid = uuid_bytes("GPU-00112233-4455-6677-8899-aabbccddeeff");
  std::memcpy(info->clusterUuid, uuid.data(), 16);
  info->status = static_cast<nvmlReturn_t>(number("fabric_status", handle, 0));
  info->cliqueId = static_cast<unsigned>(number("fabric_clique", handle, 0));
  info->state = static_cast<unsigned char>(state == "completed"     ? 3
                                           : state == "in progress" ? 2
                                           : state == "not started" ? 1
                                                                    : 0);
  info->healthMask = static_cast<unsigned>(number("fabric_health", handle, 0));
  if ((info->version >> 24) >= 3) info->healthSummary = info->healthMask == 0 ? 1 : 2;
  return kSuccess;
}

ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(Handle handle, unsigned long long* reasons) {
  *reasons = static_cast<unsigned long long>(number("throttle", handle, 1));  // 1: idle
  return check(handle);
}
ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(Handle handle, unsigned long long* reasons) {
  return nvmlDeviceGetCurrentClocksEventReasons(handle, reasons);
}

ROLLCALL_EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(Handle handle, unsigned* count, void*) {
  *count = 0;
  return check(handle);
}
