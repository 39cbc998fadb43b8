#include "probe/facts/environment.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace rollcall::probe {
namespace {

constexpr std::array<std::string_view, 9> kPrefixes = {"NCCL_",   "FI_",         "UCX_", "OFI_", "CUDA_",
                                                       "MASTER_", "TORCH_NCCL_", "PET_", "JAX_"};
constexpr std::array<std::string_view, 9> kNames = {"GLOO_SOCKET_IFNAME", "WORLD_SIZE",      "RANK",   "LOCAL_RANK",
                                                    "LOCAL_WORLD_SIZE",   "OMP_NUM_THREADS", "NNODES", "NODE_RANK",
                                                    "NPROC_PER_NODE"};

bool allowed(std::string_view name) {
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; });
}

}  // namespace

std::map<std::string, std::string> allowed_environment(const std::map<std::string, std::string>& environment) {
  std::map<std::string, std::string> found;
  for (const auto& variable : environment) {
    if (allowed(variable.first)) found.insert(variable);
  }
  return found;
}

}  // namespace rollcall::probe
