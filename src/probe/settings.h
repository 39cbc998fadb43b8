#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "api/names.h"
#include "base/result.h"
#include "probe/net/address.h"

namespace rollcall::probe {

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

  std::string token_file = api::names::kTokenFile;
  std::string annotations_file = api::names::kAnnotationsFile;
  std::string termination_log = "/dev/termination-log";
  std::string self = "/proc/self/exe";  ///< run again to read the image's files
};

using GetEnv = std::function<std::optional<std::string>(const char*)>;

/// An Error names the variable, its value and what it should be.
Result<Settings> settings_from(const GetEnv& get);

}  // namespace rollcall::probe
