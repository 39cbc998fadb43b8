#pragma once

#include <string>

#include "e2e/world.h"

/// Jobs whose image has the doubles of tests/doubles in place of NVIDIA's libraries: what their GPUs and NCCL do is
/// written in a scenario, everything else (kubelets, network, probe, desk) is real.
namespace rollcall::e2e {

struct Simulated {
  int nnodes = 3;
  int gpus = 2;                     ///< a node
  std::string scenario = {};        ///< README.md of tests/doubles; nodes are called by the cluster's names
  Json roll_call = Json::object();  ///< spec.rollCall
  std::string image = "rollcall/e2e-gpu:dev";
  std::vector<std::string> args = {"--meet"};
  bool plugin = false;  ///< node-2 alone has a file that NCCL would load as a net plugin
};

/// Lets every node of the cluster say that it has `count` GPUs, which are only claimed.
void claim_gpus(int count);

/// Starts the job, and the ConfigMap with its scenario.
void start_simulated(World& world, const std::string& name, const Simulated& what);

/// Waits until the job is held or has a verdict; the RollCall as it is then. Fails the test when neither comes.
Json judged(World& world, const std::string& job, seconds limit);

/// A stage of a RollCall by its name, or an empty object.
Json stage_of(const Json& roll_call, const std::string& name);

}  // namespace rollcall::e2e
