#include "child/driver/library.h"

#include <dlfcn.h>
#include <link.h>

namespace rollcall::child {

Result<Library> Library::open(const std::string& name) {
  // RTLD_NOW: a symbol that is missing is told here, not by an end in mid call. RTLD_LOCAL: NCCL's plugins find what
  // they need themselves, as they do in the job.
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* words = dlerror();  // NOLINT(concurrency-mt-unsafe): one thread loads libraries
    std::string message = words != nullptr ? words : "the loader gives no reason";
    // glibc's and musl's words for a file that is not there; of any other the file exists and something else is wrong.
    const bool absent = message.find(name + ": cannot open shared object file: No such file") != std::string::npos ||
                        message.find("Error loading shared library " + name + ": No such file") != std::string::npos;
    return Error{std::move(message), absent ? "absent" : "broken"};
  }
  const link_map* map = nullptr;
  std::string path = name;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr && map->l_name[0] != '\0')
    path = map->l_name;
  return Library(handle, std::move(path));
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace rollcall::child
