#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/names.h"
#include "base/result.h"
#include "probe/net/address.h"

namespace rollcall::probe {

/// One of rollCall.checks.
struct UserCheck {
  std::string name;
  std::vector<std::string> command;  ///< as a container's: no shell unless it is one
  std::chrono::seconds deadline{60};
};

/// What the operator told this probe by its environment, and where it finds its files.
struct Settings {
  SocketAddress desk;
  std::string desk_name;  ///< verified in the desk's certificate
  std::string desk_ca;    ///< PEM
  std::string job;        ///< `tj/NAMESPACE/NAME`
  int attempt = 0;        ///< the one this pod was made for
  int node_rank = 0;
  int nnodes = 1;
  std::chrono::seconds give_up{0};
  std::string pod_uid;
  std::string pod_name;
  std::string gpu_resource;
  int gpus = 0;

  // What the steps with GPUs and the user's checks run with.
  std::map<std::string, std::string> exports;  ///< set over the container's environment
  std::string setup;                           ///< shell text run after that; empty = none
  std::string fidelity;                        ///< "partial: why"; empty = the trainer's environment, as far as known
  std::vector<UserCheck> checks;
  bool bundled_nccl = false;
  int deadline_percent = 100;

  std::string token_file = api::names::kTokenFile;
  std::string annotations_file = api::names::kAnnotationsFile;
  std::string termination_log = "/dev/termination-log";
  std::string self = "/proc/self/exe";  ///< run again to read the image's files
  std::string bin_dir;                  ///< where the child program and the bundled libnccl are; empty = with this one
};

using GetEnv = std::function<std::optional<std::string>(const char*)>;

/// An Error names the variable, its value and what it should be.
Result<Settings> settings_from(const GetEnv& get);

}  // namespace rollcall::probe
