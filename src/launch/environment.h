#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch/launch.h"

/// The environment in which the trainer's processes will run, beside the container's own, as far as a manifest shows
/// it: the probe runs NCCL in the same.
namespace rollcall::launch {

struct Environment {
  /// What the command itself exports, as literals: `export NCCL_IB_HCA=mlx5` in a script, `A=b torchrun`, `env A=b`.
  std::map<std::string, std::string> exports;
  /// Why it may be another: "the command sources /opt/fabric/profile.sh". A `setup` of the job's answers these.
  std::vector<std::string> elsewhere;
  /// Containers that NCCL's plugin needs and that do not run during the roll call: "container `tcpxo-daemon` starts
  /// with the trainer". Nothing but another template answers these.
  std::vector<std::string> missing;
};

/// Of the role, which has a known trainer. Pure.
Environment environment_of(const Role& role);

}  // namespace rollcall::launch
