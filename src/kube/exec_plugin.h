#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time_text.h"

/// Credentials that a program hands out: `users[].user.exec` of a kubeconfig, client.authentication.k8s.io v1 and
/// v1beta1.
namespace rollcall::kube {

struct ExecPlugin {
  std::string api_version;
  std::string command;  ///< with a slash: the file; without: looked up in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  ///< over our own environment
  std::string install_hint;
  /// Never, IfAvailable or Always: whether it may ask on our standard input.
  std::string interactive_mode = "IfAvailable";
  std::optional<nlohmann::json> cluster;  ///< given with provideClusterInfo: the cluster as KUBERNETES_EXEC_INFO has it
};

struct ExecCredential {
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  std::optional<WallTime> expires;
};

/// What cloud command lines take at most; kubectl would wait for ever.
inline constexpr std::chrono::milliseconds kPluginDeadline = std::chrono::seconds(60);

/// Runs the plugin, without a shell, and reads its ExecCredential. Its standard error is ours, so that what it says is
/// seen. At the deadline it and, where it is not interactive, what it started are killed. An Error says what to run by
/// hand. Blocks; from any thread.
Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin, std::chrono::milliseconds deadline = kPluginDeadline);

/// The ExecCredential in a plugin's output. `now`: what has expired is an Error.
Result<ExecCredential> exec_credential_from(const std::string& output, const std::string& api_version, WallTime now);

}  // namespace rollcall::kube
