#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "base/result.h"
#include "kube/exec_plugin.h"

namespace rollcall::kube {

/// `users[].user.exec` of a kubeconfig in `folder`, for the cluster of that context. An Error names the field.
Result<ExecPlugin> exec_plugin_of(const YAML::Node& exec, const YAML::Node& cluster, const std::string& ca_pem,
                                  const std::string& folder);

}  // namespace rollcall::kube
