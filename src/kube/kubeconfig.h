#pragma once

#include "kube/credentials.h"

namespace rollcall::kube {

/// What becomes of a user whose credentials come from a program: run, for a command that a person waits for; refused,
/// for what runs on longer than such credentials last.
enum class ExecPlugins { run, refuse };

/// kubeconfig_credentials() with a say over programs.
Result<Credentials> read_kubeconfig(const std::string& path, const std::string& context, ExecPlugins plugins);

}  // namespace rollcall::kube
