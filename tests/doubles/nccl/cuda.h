#pragma once

#include <string>

/// What the NCCL double needs of the CUDA double, found at run time as the real one finds libcuda.
namespace rollcall::doubles {

struct Device {
  int index = -1;  ///< CUDA's; -1: no driver, or no current context
  std::string uuid, pci;
};
/// Of the calling thread's current context.
Device current_device();
/// False: there is no CUDA double in this process.
bool enqueue(void* stream, double (*work)(void*), void* argument);

/// The number that stands in brackets in this thread's log lines.
int log_device();
void set_log_device(int device);

}  // namespace rollcall::doubles
