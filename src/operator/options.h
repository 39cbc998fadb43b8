#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace rollcall::operator_ {

struct Options {
  std::string ns;  ///< Rollcall's own namespace: Secrets and the desk's Service
  std::string probe_image;
  std::string probe_image_pull_policy;  ///< empty = the cluster's default
  std::uint16_t health_port = 8081;
  std::string kubeconfig;  ///< empty = the pod's own service account
  std::string desk_service = "rollcall-desk";
};

/// The options, or the exit code after help, version or a usage error was printed.
std::variant<Options, int> options_from(int argc, const char* const* argv);

}  // namespace rollcall::operator_
