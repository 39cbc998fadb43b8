#include "child/driver/cuda.h"

namespace rollcall::child {

Result<Cuda> Cuda::load() {
  auto library = Library::open("libcuda.so.1");
  if (!library) return library.error();
  Cuda cuda{.library = std::move(*library)};
  const Library& from = cuda.library;
  std::string missing;
  const auto need = [&](auto& function, const char* name) {
    from.find(function, name);
    if (function == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  need(cuda.init, "cuInit");
  need(cuda.driver_get_version, "cuDriverGetVersion");
  need(cuda.get_error_name, "cuGetErrorName");
  need(cuda.get_error_string, "cuGetErrorString");
  need(cuda.device_get_count, "cuDeviceGetCount");
  need(cuda.device_get, "cuDeviceGet");
  need(cuda.device_get_name, "cuDeviceGetName");
  need(cuda.device_get_uuid_v1, "cuDeviceGetUuid");
  from.find(cuda.device_get_uuid, "cuDeviceGetUuid_v2");
  need(cuda.device_get_pci_bus_id, "cuDeviceGetPCIBusId");
  need(cuda.device_get_attribute, "cuDeviceGetAttribute");
  need(cuda.device_total_mem, "cuDeviceTotalMem_v2");
  need(cuda.primary_ctx_retain, "cuDevicePrimaryCtxRetain");
  need(cuda.primary_ctx_release, "cuDevicePrimaryCtxRelease_v2");
  need(cuda.ctx_set_current, "cuCtxSetCurrent");
  need(cuda.ctx_synchronize, "cuCtxSynchronize");
  need(cuda.mem_alloc, "cuMemAlloc_v2");
  need(cuda.mem_free, "cuMemFree_v2");
  need(cuda.mem_get_info, "cuMemGetInfo_v2");
  need(cuda.memcpy_htod, "cuMemcpyHtoD_v2");
  need(cuda.memcpy_dtoh, "cuMemcpyDtoH_v2");
  need(cuda.memset_d32, "cuMemsetD32_v2");
  need(cuda.stream_create, "cuStreamCreate");
  need(cuda.stream_destroy, "cuStreamDestroy_v2");
  need(cuda.stream_query, "cuStreamQuery");
  need(cuda.stream_synchronize, "cuStreamSynchronize");
  need(cuda.event_create, "cuEventCreate");
  need(cuda.event_destroy, "cuEventDestroy_v2");
  need(cuda.event_record, "cuEventRecord");
  need(cuda.event_query, "cuEventQuery");
  need(cuda.event_elapsed_time, "cuEventElapsedTime");
  if (!missing.empty())
    return Error{from.path() + " is no CUDA driver of 11.0 or later: it lacks " + missing, "incomplete"};
  return cuda;
}

std::string Cuda::name_of(CUresult result) const {
  const char* text = nullptr;
  if (get_error_name(result, &text) == CUDA_SUCCESS && text != nullptr) return text;
  return "CUDA error " + std::to_string(static_cast<int>(result));
}

std::string Cuda::words_for(CUresult result) const {
  const char* text = nullptr;
  std::string words = name_of(result);
  if (get_error_string(result, &text) == CUDA_SUCCESS && text != nullptr) words += std::string(": ") + text;
  return words;
}

}  // namespace rollcall::child
