#include "kube/exec_config.h"

#include <filesystem>

#include "kube/base64.h"

namespace rollcall::kube {
namespace {

/// Under this name a cluster keeps what is for the plugin.
constexpr auto kExtension = "client.authentication.k8s.io/exec";

std::string text_of(const YAML::Node& map, const char* key) {
  const YAML::Node value = map[key];
  return value && value.IsScalar() ? value.Scalar() : std::string{};
}

/// An extension's value: whatever JSON can say. Depth is bounded by the parser that made the nodes.
nlohmann::json json_of(const YAML::Node& node) {
  if (node.IsMap()) {
    nlohmann::json out = nlohmann::json::object();
    for (const auto& entry : node) out[entry.first.as<std::string>()] = json_of(entry.second);
    return out;
  }
  if (node.IsSequence()) {
    nlohmann::json out = nlohmann::json::array();
    for (const YAML::Node& item : node) out.push_back(json_of(item));
    return out;
  }
  if (!node.IsScalar()) return nullptr;
  if (node.Tag() == "?") {
    const auto plain = nlohmann::json::parse(node.Scalar(), nullptr, false);
    if (!plain.is_discarded()) return plain;
  }
  return node.Scalar();
}

nlohmann::json cluster_of(const YAML::Node& cluster, const std::string& ca_pem) {
  nlohmann::json out = {{"server", text_of(cluster, "server")}, {"certificate-authority-data", base64_encode(ca_pem)}};
  const YAML::Node extensions = cluster["extensions"];
  if (!extensions || !extensions.IsSequence()) return out;
  for (const YAML::Node& item : extensions)
    if (item.IsMap() && text_of(item, "name") == kExtension) out["config"] = json_of(item["extension"]);
  return out;
}

}  // namespace

Result<ExecPlugin> exec_plugin_of(const YAML::Node& exec, const YAML::Node& cluster, const std::string& ca_pem,
                                  const std::string& folder) {
  if (!exec.IsMap()) return Error{"exec is not a mapping"};
  ExecPlugin out;
  out.api_version = text_of(exec, "apiVersion");
  if (out.api_version != "client.authentication.k8s.io/v1" && out.api_version != "client.authentication.k8s.io/v1beta1")
    return Error{"exec.apiVersion: `" + out.api_version +
                 "` is none of client.authentication.k8s.io/v1 and v1beta1; update the program that wrote it"};
  out.command = text_of(exec, "command");
  if (out.command.empty()) return Error{"exec.command is missing"};
  // Like a file that the kubeconfig names; without a slash it is looked up in PATH.
  if (out.command.find('/') != std::string::npos) out.command = (std::filesystem::path(folder) / out.command).string();
  for (const YAML::Node& arg : exec["args"]) out.args.push_back(arg.as<std::string>());
  for (const YAML::Node& entry : exec["env"]) out.env.emplace_back(text_of(entry, "name"), text_of(entry, "value"));
  out.install_hint = text_of(exec, "installHint");
  if (const std::string mode = text_of(exec, "interactiveMode"); !mode.empty()) out.interactive_mode = mode;
  if (out.interactive_mode != "Never" && out.interactive_mode != "IfAvailable" && out.interactive_mode != "Always")
    return Error{"exec.interactiveMode: `" + out.interactive_mode + "` is none of Never, IfAvailable, Always"};
  if (text_of(exec, "provideClusterInfo") == "true") out.cluster = cluster_of(cluster, ca_pem);
  return out;
}

}  // namespace rollcall::kube
