/// Every constant and layout that is used without the library's own header of the same release, held against NVIDIA's
/// headers at build time (versions: dev/deps.d/pypi.sh). Nothing here runs.
#include <cstddef>
#include <type_traits>

#include "child/driver/cuda.h"
#include "child/driver/nccl.h"
#include "child/driver/nvml.h"

namespace rollcall::child {
namespace {

// nccl.h
static_assert(sizeof(ncclUniqueId) == 128);
static_assert(std::is_trivially_copyable_v<ncclUniqueId>);  // so that it is passed by value as C does
static_assert(NCCL_API_MAGIC == 0xcafebeef);
static_assert(ncclSuccess == 0 && ncclUnhandledCudaError == 1 && ncclSystemError == 2 && ncclInternalError == 3);
static_assert(ncclInvalidArgument == 4 && ncclInvalidUsage == 5 && ncclRemoteError == 6 && ncclInProgress == 7);
static_assert(ncclTimeout == 8);  // since 2.30.3
static_assert(ncclInt32 == 2 && ncclInt64 == 4 && ncclFloat32 == 7 && ncclSum == 0);
static_assert(sizeof(NcclConfig) == 40);
static_assert(offsetof(NcclConfig, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(NcclConfig, version) == offsetof(ncclConfig_t, version));
static_assert(offsetof(NcclConfig, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(offsetof(NcclConfig, cga_cluster_size) == offsetof(ncclConfig_t, cgaClusterSize));
static_assert(offsetof(NcclConfig, min_ctas) == offsetof(ncclConfig_t, minCTAs));
static_assert(offsetof(NcclConfig, max_ctas) == offsetof(ncclConfig_t, maxCTAs));
static_assert(offsetof(NcclConfig, net_name) == offsetof(ncclConfig_t, netName));
static_assert(offsetof(ncclConfig_t, splitShare) == sizeof(NcclConfig));
static_assert(offsetof(NcclConfig, cga_cluster_size) == 20);  // 24 bytes are what 2.14 knows: up to `blocking`, padded

template <typename Member, typename Function>
constexpr bool kSame = std::is_same_v<Member, Function*>;
static_assert(kSame<decltype(Nccl::get_version), decltype(ncclGetVersion)>);
static_assert(kSame<decltype(Nccl::get_error_string), decltype(ncclGetErrorString)>);
static_assert(kSame<decltype(Nccl::get_unique_id), decltype(ncclGetUniqueId)>);
static_assert(kSame<decltype(Nccl::comm_init_rank), decltype(ncclCommInitRank)>);
static_assert(kSame<decltype(Nccl::comm_destroy), decltype(ncclCommDestroy)>);
static_assert(kSame<decltype(Nccl::comm_abort), decltype(ncclCommAbort)>);
static_assert(kSame<decltype(Nccl::comm_get_async_error), decltype(ncclCommGetAsyncError)>);
static_assert(kSame<decltype(Nccl::all_reduce), decltype(ncclAllReduce)>);
static_assert(kSame<decltype(Nccl::group_start), decltype(ncclGroupStart)>);
static_assert(kSame<decltype(Nccl::group_end), decltype(ncclGroupEnd)>);
static_assert(kSame<decltype(Nccl::get_last_error), decltype(ncclGetLastError)>);
static_assert(kSame<decltype(Nccl::comm_finalize), decltype(ncclCommFinalize)>);
static_assert(kSame<decltype(Nccl::send), decltype(ncclSend)>);
static_assert(kSame<decltype(Nccl::recv), decltype(ncclRecv)>);
using InitRankConfig = ncclResult_t(ncclComm_t*, int, ncclUniqueId, int, ncclConfig_t*);
static_assert(std::is_same_v<InitRankConfig, decltype(ncclCommInitRankConfig)>);  // ours differs in the config alone

// cuda.h
static_assert(sizeof(CUuuid) == 16);
static_assert(sizeof(CUdeviceptr) == 8);
static_assert(std::is_same_v<cudaStream_t, CUstream_st*>);  // as in the CUDA runtime's own header
static_assert(CUDA_ERROR_INVALID_VALUE == 1 && CUDA_ERROR_OUT_OF_MEMORY == 2 && CUDA_ERROR_STUB_LIBRARY == 34);
static_assert(CUDA_ERROR_DEVICE_UNAVAILABLE == 46 && CUDA_ERROR_NO_DEVICE == 100 && CUDA_ERROR_INVALID_DEVICE == 101);
static_assert(CUDA_ERROR_ECC_UNCORRECTABLE == 214 && CUDA_ERROR_NVLINK_UNCORRECTABLE == 220);
static_assert(CUDA_ERROR_OPERATING_SYSTEM == 304 && CUDA_ERROR_NOT_READY == 600 && CUDA_ERROR_NOT_PERMITTED == 800);
static_assert(CUDA_ERROR_SYSTEM_NOT_READY == 802 && CUDA_ERROR_SYSTEM_DRIVER_MISMATCH == 803);
static_assert(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE == 804 && CUDA_ERROR_UNKNOWN == 999);
static_assert(kSame<decltype(Cuda::init), decltype(cuInit)>);
static_assert(kSame<decltype(Cuda::driver_get_version), decltype(cuDriverGetVersion)>);
static_assert(kSame<decltype(Cuda::get_error_name), decltype(cuGetErrorName)>);
static_assert(kSame<decltype(Cuda::get_error_string), decltype(cuGetErrorString)>);
static_assert(kSame<decltype(Cuda::device_get_count), decltype(cuDeviceGetCount)>);
static_assert(kSame<decltype(Cuda::device_get), decltype(cuDeviceGet)>);
static_assert(kSame<decltype(Cuda::device_get_name), decltype(cuDeviceGetName)>);
static_assert(kSame<decltype(Cuda::device_get_uuid), decltype(cuDeviceGetUuid_v2)>);
static_assert(kSame<decltype(Cuda::device_get_uuid_v1), decltype(cuDeviceGetUuid)>);
static_assert(kSame<decltype(Cuda::device_get_pci_bus_id), decltype(cuDeviceGetPCIBusId)>);
static_assert(kSame<decltype(Cuda::device_get_attribute), decltype(cuDeviceGetAttribute)>);
static_assert(kSame<decltype(Cuda::device_total_mem), decltype(cuDeviceTotalMem)>);
static_assert(kSame<decltype(Cuda::primary_ctx_retain), decltype(cuDevicePrimaryCtxRetain)>);
static_assert(kSame<decltype(Cuda::primary_ctx_release), decltype(cuDevicePrimaryCtxRelease)>);
static_assert(kSame<decltype(Cuda::ctx_set_current), decltype(cuCtxSetCurrent)>);
static_assert(kSame<decltype(Cuda::ctx_synchronize), decltype(cuCtxSynchronize)>);
static_assert(kSame<decltype(Cuda::mem_alloc), decltype(cuMemAlloc)>);
static_assert(kSame<decltype(Cuda::mem_free), decltype(cuMemFree)>);
static_assert(kSame<decltype(Cuda::mem_get_info), decltype(cuMemGetInfo)>);
static_assert(kSame<decltype(Cuda::memcpy_htod), decltype(cuMemcpyHtoD)>);
static_assert(kSame<decltype(Cuda::memcpy_dtoh), decltype(cuMemcpyDtoH)>);
static_assert(kSame<decltype(Cuda::memset_d32), decltype(cuMemsetD32)>);
static_assert(kSame<decltype(Cuda::stream_create), decltype(cuStreamCreate)>);
static_assert(kSame<decltype(Cuda::stream_destroy), decltype(cuStreamDestroy)>);
static_assert(kSame<decltype(Cuda::stream_query), decltype(cuStreamQuery)>);
static_assert(kSame<decltype(Cuda::stream_synchronize), decltype(cuStreamSynchronize)>);
static_assert(kSame<decltype(Cuda::event_create), decltype(cuEventCreate)>);
static_assert(kSame<decltype(Cuda::event_destroy), decltype(cuEventDestroy)>);
static_assert(kSame<decltype(Cuda::event_record), decltype(cuEventRecord)>);
static_assert(kSame<decltype(Cuda::event_query), decltype(cuEventQuery)>);
static_assert(kSame<decltype(Cuda::event_elapsed_time), decltype(cuEventElapsedTime)>);

// nvml.h
static_assert(NVML_ERROR_NOT_SUPPORTED == 3 && NVML_ERROR_NO_PERMISSION == 4 && NVML_ERROR_DRIVER_NOT_LOADED == 9);
static_assert(NVML_ERROR_FUNCTION_NOT_FOUND == 13 && NVML_ERROR_ARGUMENT_VERSION_MISMATCH == 25);
static_assert(NVML_ERROR_GPU_IS_LOST == 15 && NVML_ERROR_RESET_REQUIRED == 16 && NVML_ERROR_OPERATING_SYSTEM == 17);
static_assert(NVML_ERROR_LIB_RM_VERSION_MISMATCH == 18 && NVML_ERROR_UNKNOWN == 999);
static_assert(NVML_MEMORY_ERROR_TYPE_UNCORRECTED == 1 && NVML_VOLATILE_ECC == 0);
static_assert(NVML_GPU_FABRIC_STATE_NOT_SUPPORTED == 0 && NVML_GPU_FABRIC_STATE_COMPLETED == 3);
static_assert(sizeof(nvmlGpuFabricInfo_v2_t) == 36 && nvmlGpuFabricInfo_v2 == (36 | 2 << 24));
static_assert(offsetof(nvmlGpuFabricInfo_v2_t, clusterUuid) == 4 && offsetof(nvmlGpuFabricInfo_v2_t, healthMask) == 32);
static_assert(sizeof(nvmlMemory_v2_t) == 40 && sizeof(nvmlMemory_t) == 24);
static_assert(nvmlClocksEventReasonGpuIdle == 1 && nvmlClocksThrottleReasonHwSlowdown == 8);
static_assert(nvmlClocksThrottleReasonHwThermalSlowdown == 0x40 &&
              nvmlClocksThrottleReasonHwPowerBrakeSlowdown == 0x80);
static_assert(kSame<decltype(Nvml::init), decltype(nvmlInit_v2)>);
static_assert(kSame<decltype(Nvml::shutdown), decltype(nvmlShutdown)>);
static_assert(kSame<decltype(Nvml::error_string), decltype(nvmlErrorString)>);
static_assert(kSame<decltype(Nvml::driver_version), decltype(nvmlSystemGetDriverVersion)>);
static_assert(kSame<decltype(Nvml::count), decltype(nvmlDeviceGetCount_v2)>);
static_assert(kSame<decltype(Nvml::handle_by_index), decltype(nvmlDeviceGetHandleByIndex_v2)>);
static_assert(kSame<decltype(Nvml::handle_by_uuid), decltype(nvmlDeviceGetHandleByUUID)>);
static_assert(kSame<decltype(Nvml::handle_by_pci), decltype(nvmlDeviceGetHandleByPciBusId_v2)>);
static_assert(kSame<decltype(Nvml::uuid), decltype(nvmlDeviceGetUUID)>);
static_assert(kSame<decltype(Nvml::memory), decltype(nvmlDeviceGetMemoryInfo)>);
static_assert(kSame<decltype(Nvml::memory_v2), decltype(nvmlDeviceGetMemoryInfo_v2)>);
static_assert(kSame<decltype(Nvml::total_ecc), decltype(nvmlDeviceGetTotalEccErrors)>);
static_assert(kSame<decltype(Nvml::remapped_rows), decltype(nvmlDeviceGetRemappedRows)>);
static_assert(kSame<decltype(Nvml::retired_pending), decltype(nvmlDeviceGetRetiredPagesPendingStatus)>);
static_assert(kSame<decltype(Nvml::nvlink_state), decltype(nvmlDeviceGetNvLinkState)>);
static_assert(kSame<decltype(Nvml::fabric), decltype(nvmlDeviceGetGpuFabricInfoV)>);
static_assert(kSame<decltype(Nvml::clocks_reasons), decltype(nvmlDeviceGetCurrentClocksEventReasons)>);
static_assert(kSame<decltype(Nvml::clocks_reasons), decltype(nvmlDeviceGetCurrentClocksThrottleReasons)>);
static_assert(kSame<decltype(Nvml::processes), decltype(nvmlDeviceGetComputeRunningProcesses_v3)>);

}  // namespace
}  // namespace rollcall::child
