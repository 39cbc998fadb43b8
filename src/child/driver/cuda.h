#pragma once

#include <cuda.h>

#include <string>

#include "base/result.h"
#include "child/driver/library.h"

namespace rollcall::child {

/// CUDA's driver, as far as the child calls it. Types are cuda.h's; the names are those that drivers export (a suffix
/// _v2 belongs to the name). Members that an old driver does not have are null where the comment says so.
struct Cuda {
  Library library;

  CUresult (*init)(unsigned int flags) = nullptr;
  CUresult (*driver_get_version)(int* version) = nullptr;
  CUresult (*get_error_name)(CUresult error, const char** text) = nullptr;
  CUresult (*get_error_string)(CUresult error, const char** text) = nullptr;

  CUresult (*device_get_count)(int* count) = nullptr;
  CUresult (*device_get)(CUdevice* device, int ordinal) = nullptr;
  CUresult (*device_get_name)(char* name, int length, CUdevice device) = nullptr;
  CUresult (*device_get_uuid)(CUuuid* uuid, CUdevice device) = nullptr;  ///< v2: a MIG slice's own. Null before 11.4
  CUresult (*device_get_uuid_v1)(CUuuid* uuid, CUdevice device) = nullptr;
  CUresult (*device_get_pci_bus_id)(char* text, int length, CUdevice device) = nullptr;
  CUresult (*device_get_attribute)(int* value, CUdevice_attribute attribute, CUdevice device) = nullptr;
  CUresult (*device_total_mem)(std::size_t* bytes, CUdevice device) = nullptr;

  CUresult (*primary_ctx_retain)(CUcontext* context, CUdevice device) = nullptr;
  CUresult (*primary_ctx_release)(CUdevice device) = nullptr;
  CUresult (*ctx_set_current)(CUcontext context) = nullptr;
  CUresult (*ctx_synchronize)() = nullptr;

  CUresult (*mem_alloc)(CUdeviceptr* pointer, std::size_t bytes) = nullptr;
  CUresult (*mem_free)(CUdeviceptr pointer) = nullptr;
  CUresult (*mem_get_info)(std::size_t* free, std::size_t* total) = nullptr;
  CUresult (*memcpy_htod)(CUdeviceptr to, const void* from, std::size_t bytes) = nullptr;
  CUresult (*memcpy_dtoh)(void* to, CUdeviceptr from, std::size_t bytes) = nullptr;
  CUresult (*memset_d32)(CUdeviceptr to, unsigned int value, std::size_t count) = nullptr;

  CUresult (*stream_create)(CUstream* stream, unsigned int flags) = nullptr;
  CUresult (*stream_destroy)(CUstream stream) = nullptr;
  CUresult (*stream_query)(CUstream stream) = nullptr;
  CUresult (*stream_synchronize)(CUstream stream) = nullptr;
  CUresult (*event_create)(CUevent* event, unsigned int flags) = nullptr;
  CUresult (*event_destroy)(CUevent event) = nullptr;
  CUresult (*event_record)(CUevent event, CUstream stream) = nullptr;
  CUresult (*event_query)(CUevent event) = nullptr;
  CUresult (*event_elapsed_time)(float* milliseconds, CUevent from, CUevent to) = nullptr;

  /// Loads libcuda.so.1. An Error: it is not there, it cannot be loaded (Library::open's codes), or it lacks a function
  /// that every driver since CUDA 11 has (code "incomplete").
  static Result<Cuda> load();

  /// "CUDA_ERROR_SYSTEM_NOT_READY"; the number when the driver has no name for it.
  std::string name_of(CUresult result) const;
  /// "CUDA_ERROR_SYSTEM_NOT_READY: system not yet initialized".
  std::string words_for(CUresult result) const;
};

}  // namespace rollcall::child
