// libcuda.so.1, as far as Rollcall's child asks it. "Device" memory is the process's own.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "doubles/cuda/stream.h"
#include "doubles/export.h"
#include "doubles/scenario/device.h"
#include "doubles/scenario/scenario.h"

using namespace rollcall::doubles;

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = void*;
struct CUuuid {
  char bytes[16];
};

ROLLCALL_DOUBLE_ANNOUNCES

namespace {

enum : CUresult {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kNotReady = 600,
};

struct Name {
  CUresult result;
  const char* name;
  const char* words;
};
// cuda.h, enum cudaError_enum; the words are those of cuGetErrorString.
constexpr std::array kNames = {
    Name{0, "CUDA_SUCCESS", "no error"},
    Name{1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    Name{2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    Name{3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    Name{34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    Name{46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    Name{100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    Name{101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    Name{201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    Name{214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    Name{220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "uncorrectable NVLink error detected during the execution"},
    Name{304, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS"},
    Name{600, "CUDA_ERROR_NOT_READY", "device not ready"},
    Name{700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    Name{719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    Name{800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    Name{801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    Name{802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
    Name{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
    Name{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility was attempted on non supported HW"},
    Name{999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

bool initialized = false;
thread_local CUdevice current = -1;

const std::vector<Gpu>& gpus() {
  static const auto& visible = *new std::vector<Gpu>(visible_gpus());
  return visible;
}

Stream& stream_of(void* handle) {
  static Stream& null_stream = *new Stream;
  return handle == nullptr ? null_stream : *static_cast<Stream*>(handle);
}

/// The fault of this call, by the scenario.
CUresult step(const char* name, CUdevice device = current) {
  const Where here{.gpu = device};
  enter(name, here);
  const auto& scenario = Scenario::get();
  if (scenario.lists("cuda_error_in", name, here))
    return static_cast<CUresult>(scenario.number("cuda_error", here, 999));
  return initialized ? kSuccess : kNotInitialized;
}

CUresult on_device(const char* name, CUdevice device) {
  if (const auto fault = step(name, device); fault != kSuccess) return fault;
  return device < 0 || static_cast<std::size_t>(device) >= gpus().size() ? kInvalidDevice : kSuccess;
}

}  // namespace

ROLLCALL_EXPORT CUresult cuInit(unsigned flags) {
  if (flags != 0) return kInvalidValue;
  enter("cuInit", {});
  const auto result =
      static_cast<CUresult>(Scenario::get().number("cuda_init", {}, gpus().empty() ? kNoDevice : kSuccess));
  initialized = result == kSuccess;
  return result;
}

ROLLCALL_EXPORT CUresult cuDriverGetVersion(int* version) {
  *version = static_cast<int>(Scenario::get().number("cuda_version", {}, 12040));
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuDeviceGetCount(int* count) {
  if (const auto fault = step("cuDeviceGetCount"); fault != kSuccess) return fault;
  *count = static_cast<int>(gpus().size());
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (const auto fault = on_device("cuDeviceGet", ordinal); fault != kSuccess) return fault;
  *device = ordinal;
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (const auto fault = on_device("cuDeviceGetName", device); fault != kSuccess) return fault;
  if (length < 1) return kInvalidValue;
  const auto& text = gpus()[static_cast<std::size_t>(device)].name;
  const auto count = std::min(text.size(), static_cast<std::size_t>(length) - 1);
  std::memcpy(name, text.data(), count);
  name[count] = '\0';
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  if (const auto fault = on_device("cuDeviceGetPCIBusId", device); fault != kSuccess) return fault;
  const auto& text = gpus()[static_cast<std::size_t>(device)].pci;
  if (length < static_cast<int>(text.size()) + 1) return kInvalidValue;
  std::memcpy(id, text.c_str(), text.size() + 1);
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  if (const auto fault = on_device("cuDeviceGetUuid", device); fault != kSuccess) return fault;
  const auto bytes = uuid_bytes(gpus()[static_cast<std::size_t>(device)].uuid);
  std::memcpy(uuid->bytes, bytes.data(), sizeof uuid->bytes);
  return kSuccess;
}

/// Of a MIG slice the original's first version gives the UUID of the GPU it is cut from.
ROLLCALL_EXPORT CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  const auto result = cuDeviceGetUuid_v2(uuid, device);
  if (result == kSuccess && gpus()[static_cast<std::size_t>(device)].mig) uuid->bytes[0] ^= 1;
  return result;
}

ROLLCALL_EXPORT CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  if (const auto fault = on_device("cuDeviceTotalMem", device); fault != kSuccess) return fault;
  *bytes = static_cast<std::size_t>(gpus()[static_cast<std::size_t>(device)].memory_bytes);
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  if (const auto fault = on_device("cuDeviceGetAttribute", device); fault != kSuccess) return fault;
  const auto& gpu = gpus()[static_cast<std::size_t>(device)];
  // cuda.h, enum CUdevice_attribute.
  switch (attribute) {
    case 16:
      *value = 132;
      return kSuccess;  // multiprocessors
    case 20:
      *value = 0;
      return kSuccess;  // compute mode: default
    case 75:
      *value = gpu.major;
      return kSuccess;
    case 76:
      *value = gpu.minor;
      return kSuccess;
    default:
      *value = 0;
      return kSuccess;
  }
}

ROLLCALL_EXPORT CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  if (const auto fault = on_device("cuDeviceCanAccessPeer", device); fault != kSuccess) return fault;
  *can = device != peer;
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (const auto fault = on_device("cuDevicePrimaryCtxRetain", device); fault != kSuccess) return fault;
  *context = reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(device) + 1);
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return on_device("cuDevicePrimaryCtxRelease", device);
}

ROLLCALL_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  current = static_cast<CUdevice>(reinterpret_cast<std::uintptr_t>(context)) - 1;
  return step("cuCtxSetCurrent");
}

ROLLCALL_EXPORT CUresult cuCtxGetDevice(CUdevice* device) {
  if (current < 0) return kInvalidContext;
  *device = current;
  return kSuccess;
}

/// Work on streams that were made is waited for with cuStreamSynchronize.
ROLLCALL_EXPORT CUresult cuCtxSynchronize() {
  if (const auto fault = step("cuCtxSynchronize"); fault != kSuccess) return fault;
  stream_of(nullptr).synchronize();
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr* pointer, std::size_t bytes) {
  if (const auto fault = step("cuMemAlloc"); fault != kSuccess) return fault;
  if (current < 0) return kInvalidContext;
  // The bytes are really moved by every rank of a test, so the double has less room than the GPU it tells of.
  const auto most = Scenario::get().number("largest_allocation_mib", Where{.gpu = current}, 1) << 20;
  if (bytes > static_cast<std::size_t>(most)) return kOutOfMemory;
  void* memory = std::calloc(1, std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) return kOutOfMemory;
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuMemFree_v2(CUdeviceptr pointer) {
  std::free(reinterpret_cast<void*>(pointer));
  return step("cuMemFree");
}

ROLLCALL_EXPORT CUresult cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total) {
  if (const auto fault = on_device("cuMemGetInfo", current); fault != kSuccess) return fault;
  const auto& gpu = gpus()[static_cast<std::size_t>(current)];
  *total = static_cast<std::size_t>(gpu.memory_bytes);
  *free_bytes = static_cast<std::size_t>(gpu.memory_bytes - gpu.used_bytes);
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  if (const auto fault = step("cuMemcpyHtoD"); fault != kSuccess) return fault;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  if (const auto fault = step("cuMemcpyDtoH"); fault != kSuccess) return fault;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, std::size_t count) {
  if (const auto fault = step("cuMemsetD32"); fault != kSuccess) return fault;
  auto* words = reinterpret_cast<unsigned*>(to);
  std::fill(words, words + count, value);
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuStreamCreate(void** stream, unsigned) {
  if (const auto fault = step("cuStreamCreate"); fault != kSuccess) return fault;
  *stream = new Stream;
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuStreamQuery(void* stream) {
  if (const auto fault = step("cuStreamQuery"); fault != kSuccess) return fault;
  return stream_of(stream).idle() ? kSuccess : kNotReady;
}

ROLLCALL_EXPORT CUresult cuStreamSynchronize(void* stream) {
  if (const auto fault = step("cuStreamSynchronize"); fault != kSuccess) return fault;
  stream_of(stream).synchronize();
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuStreamDestroy_v2(void* stream) {
  if (stream == nullptr) return kInvalidValue;
  static_cast<Stream*>(stream)->destroy();
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuEventCreate(void** event, unsigned) {
  if (const auto fault = step("cuEventCreate"); fault != kSuccess) return fault;
  *event = new Event;
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuEventRecord(void* handle, void* stream) {
  if (const auto fault = step("cuEventRecord"); fault != kSuccess) return fault;
  auto* event = static_cast<Event*>(handle);
  {
    const std::lock_guard lock(event->mutex);
    event->pending = true;
  }
  auto& queue = stream_of(stream);
  queue.enqueue([event, &queue] {
    const double now = queue.clock();
    const std::lock_guard lock(event->mutex);
    event->pending = false;
    event->recorded = true;
    event->clock = now;
    event->changed.notify_all();
    return 0.0;
  });
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuEventQuery(void* handle) {
  auto* event = static_cast<Event*>(handle);
  const std::lock_guard lock(event->mutex);
  return event->pending ? kNotReady : kSuccess;
}

ROLLCALL_EXPORT CUresult cuEventSynchronize(void* handle) {
  auto* event = static_cast<Event*>(handle);
  std::unique_lock lock(event->mutex);
  event->changed.wait(lock, [event] { return !event->pending; });
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  auto* first = static_cast<Event*>(from);
  auto* second = static_cast<Event*>(to);
  const std::scoped_lock lock(first->mutex, second->mutex);
  if (first->pending || second->pending) return kNotReady;
  if (!first->recorded || !second->recorded) return kInvalidValue;
  *milliseconds = static_cast<float>((second->clock - first->clock) * 1e3);
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuEventDestroy_v2(void* event) {
  delete static_cast<Event*>(event);
  return kSuccess;
}

ROLLCALL_EXPORT CUresult cuGetErrorName(CUresult result, const char** text) {
  for (const auto& entry : kNames)
    if (entry.result == result) return *text = entry.name, kSuccess;
  return kInvalidValue;
}

ROLLCALL_EXPORT CUresult cuGetErrorString(CUresult result, const char** text) {
  for (const auto& entry : kNames)
    if (entry.result == result) return *text = entry.words, kSuccess;
  return kInvalidValue;
}

ROLLCALL_EXPORT CUresult cuGetProcAddress_v2(const char* symbol, void** function, int, unsigned long long,
                                             int* status) {
  void* self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  *function = nullptr;
  if (self != nullptr) {
    *function = dlsym(self, (std::string(symbol) + "_v2").c_str());
    if (*function == nullptr) *function = dlsym(self, symbol);
    dlclose(self);
  }
  if (status != nullptr) *status = *function == nullptr ? 1 : 0;
  return *function == nullptr ? 500 : kSuccess;
}

/// For the NCCL double alone: puts a collective onto a stream. `work` returns the seconds it would have taken.
ROLLCALL_EXPORT void rollcall_double_enqueue(void* stream, double (*work)(void*), void* argument) {
  stream_of(stream).enqueue([work, argument] { return work(argument); });
}

/// For the NCCL double alone: CUDA's index of the current context's device, -1 = none; its index in the machine and
/// UUID.
ROLLCALL_EXPORT int rollcall_double_current(const char** uuid, const char** pci) {
  if (!initialized || current < 0 || static_cast<std::size_t>(current) >= gpus().size()) return -1;
  *uuid = gpus()[static_cast<std::size_t>(current)].uuid.c_str();
  *pci = gpus()[static_cast<std::size_t>(current)].pci.c_str();
  return current;
}
