#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "child/collective/collective.h"
#include "child/gpu/gpu.h"
#include "child/lines.h"
#include "child/nccl/nccl.h"

/// rollcall-probe-child: loads the CUDA, NVML and NCCL of the job's own image and says what they answer
/// (roll_call/child_lines.h). Built for glibc 2.17, dynamic, because NVIDIA's libraries are; its parent is static.
namespace rollcall::child {
namespace {

using Arguments = std::span<const std::string_view>;

struct Verb {
  std::string_view name;
  int (*run)(Arguments arguments);
};

/// Nothing may stay behind: not the program when its parent is killed, nor, where the container allows them, a core
/// file of the size of a CUDA process in the job's directory.
void leave_nothing() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

constexpr std::array kVerbs{Verb{"gpu", run_gpu}, Verb{"nccl", run_nccl}, Verb{"collective", run_collective}};

}  // namespace
}  // namespace rollcall::child

int main(int argc, char** argv) {
  using namespace rollcall::child;
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (!arguments.empty())
    for (const Verb& verb : kVerbs)
      if (verb.name == arguments.front()) {
        leave_nothing();
        keep_standard_output();
        return verb.run(Arguments(arguments).subspan(1));
      }
  std::fputs("usage: rollcall-probe-child gpu | nccl … | collective …; rollcall-probe starts it\n", stderr);
  return 2;
}
