#include "doubles/nccl/cuda.h"

#include <dlfcn.h>

namespace rollcall::doubles {
namespace {

void* symbol(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

thread_local int shown_device = 0;

}  // namespace

Device current_device() {
  const auto ask = reinterpret_cast<int (*)(const char**, const char**)>(symbol("rollcall_double_current"));
  if (ask == nullptr) return {};
  const char *uuid = "", *pci = "";
  Device device;
  device.index = ask(&uuid, &pci);
  device.uuid = uuid;
  device.pci = pci;
  return device;
}

bool enqueue(void* stream, double (*work)(void*), void* argument) {
  const auto put = reinterpret_cast<void (*)(void*, double (*)(void*), void*)>(symbol("rollcall_double_enqueue"));
  if (put == nullptr) return false;
  put(stream, work, argument);
  return true;
}

int log_device() { return shown_device; }
void set_log_device(int device) { shown_device = device < 0 ? 0 : device; }

}  // namespace rollcall::doubles
