#include "child/gpu/gpu.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "child/lines.h"

namespace rollcall::child {
namespace {

void say_facts(const roll_call::GpuFacts& facts) {
  roll_call::ChildLine line;
  line.gpu = facts;
  say(line);
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no other thread writes it
  return value != nullptr ? value : "";
}

/// Signs that another container may use these GPUs at the same time. Time slices leave none but the device plugin's
/// names of replicas, "GPU-…::3".
bool shared_by_environment() {
  return !environment("CUDA_MPS_PIPE_DIRECTORY").empty() ||
         environment("NVIDIA_VISIBLE_DEVICES").find("::") != std::string::npos;
}

std::string module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  return kernel_module_version(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace

int run_gpu(std::span<const std::string_view> arguments) {
  if (!arguments.empty()) {
    std::fprintf(stderr, "gpu takes no argument, not '%.*s'\n", static_cast<int>(arguments.front().size()),
                 arguments.front().data());
    return 2;
  }
  roll_call::GpuFacts facts;
  facts.shared = shared_by_environment();
  step("/proc/driver/nvidia/version");
  facts.driver = module_version();

  step("dlopen libcuda.so.1");
  const auto cuda = Cuda::load();
  if (!cuda) {
    facts.error = cuda.error().message;
    say_facts(facts);
    return 1;
  }
  facts.library = true;
  facts.library_path = cuda->library.path();
  facts.simulated = cuda->library.simulated();
  const bool answered = read_cuda(*cuda, facts);
  say_facts(facts);  // so that a stuck NVML leaves what CUDA said
  read_nvml(facts);  // also when CUDA did not start: the two together name the cause
  say_facts(facts);
  return answered ? 0 : 1;
}

}  // namespace rollcall::child
