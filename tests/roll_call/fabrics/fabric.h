#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "roll_call/world.h"

/// One kind of cluster that is sound (or has one named fault) and what the roll call must say of it.
namespace rollcall::roll_call::testing {

struct Fabric {
  std::string name;
  int nnodes = 4;
  int gpus = 8;
  std::string resource = "nvidia.com/gpu";
  std::function<void(api::RollCall&)> spec = [](api::RollCall&) {};
  std::function<void(int node, LocalFacts&)> facts = [](int, LocalFacts&) {};
  std::function<void(int node, GpuFacts&)> gpu = [](int, GpuFacts&) {};
  std::function<void(int node, NcclFacts&)> nccl = [](int, NcclFacts&) {};
  /// What NCCL's log says of one rank in the job-wide collective.
  std::function<void(int node, RankResult&)> rank = [](int, RankResult&) {};
  std::string in_node = "nvlink";  ///< carrier between GPUs of a node
  /// Node ranks whose probes reach the desk never.
  std::vector<int> mute;

  bool released = true;
  /// Stage and the beginning of what it must say: "Transport", "Passed: rdma via EFA".
  std::vector<std::pair<std::string, std::string>> says;
  /// Rule and part of its message that must be there.
  std::vector<std::pair<std::string, std::string>> findings;
};

inline void PrintTo(const Fabric& fabric, std::ostream* out) { *out << fabric.name; }

/// Every row of the reference on fabrics.
std::vector<Fabric> fabrics();

}  // namespace rollcall::roll_call::testing
