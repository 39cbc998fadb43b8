#include "launch/handed_over.h"

#include <array>
#include <iterator>

namespace rollcall::launch {
namespace {

constexpr std::array kAll{"MASTER_ADDR", "MASTER_PORT", "NNODES", "NODE_RANK", "NPROC_PER_NODE"};
constexpr std::array kTorchrun{"PET_NNODES",      "PET_NODE_RANK",   "PET_NPROC_PER_NODE",
                               "PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_RDZV_BACKEND"};
constexpr std::array kJax{"JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"};
// One process a node can be told its rank; several cannot, they share the container's env.
constexpr std::array kOneProcess{"RANK", "LOCAL_RANK", "WORLD_SIZE"};

}  // namespace

std::vector<std::string> handed_over_names(std::string_view launcher, int nproc_per_node) {
  std::vector<std::string> names(kAll.begin(), kAll.end());
  const auto add = [&names](const auto& row) { names.insert(names.end(), row.begin(), row.end()); };
  const bool unknown = launcher == "unknown";
  if (launcher == "torchrun" || launcher == "accelerate" || unknown) add(kTorchrun);
  if (launcher == "jax") add(kJax);
  if ((launcher == "none" || unknown) && nproc_per_node == 1) add(kOneProcess);
  return names;
}

const std::vector<EnvEntry>& handed_over_env() {
  static const std::vector<EnvEntry> entries = [] {
    std::vector<EnvEntry> all;
    const auto add = [&all](const auto& row) {
      for (const char* name : row)
        all.push_back({name, Text::open("`" + std::string(name) + "` is handed over by the operator", name), {}, {}});
    };
    add(kAll);
    add(kTorchrun);
    add(kJax);
    add(kOneProcess);
    return all;
  }();
  return entries;
}

}  // namespace rollcall::launch
