#include "kube/kubeconfig.h"

#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "kube/base64.h"
#include "kube/credentials.h"
#include "kube/exec_config.h"

namespace rollcall::kube {

namespace {

namespace fs = std::filesystem;

std::string text_of(const YAML::Node& map, const char* key) {
  const YAML::Node value = map[key];
  return value && value.IsScalar() ? value.Scalar() : std::string{};
}

/// The body of the list entry `{name: NAME, KIND: {…}}`.
Result<YAML::Node> entry(const YAML::Node& root, const char* list, const char* kind, const std::string& name) {
  const YAML::Node entries = root[list];
  if (entries && entries.IsSequence()) {
    for (const YAML::Node& item : entries) {
      if (item.IsMap() && text_of(item, "name") == name && item[kind] && item[kind].IsMap()) {
        return YAML::Node(item[kind]);
      }
    }
  }
  return Error{std::string(list) + " has no entry named `" + name + "` with a `" + kind + "`"};
}

/// KEY-data (base64) or the file that KEY names; empty when neither stands there.
Result<std::string> data_or_file(const YAML::Node& map, const std::string& key, const fs::path& folder) {
  if (const std::string data = text_of(map, (key + "-data").c_str()); !data.empty()) {
    auto decoded = base64_decode(data);
    if (!decoded) return Error{key + "-data is not base64"};
    return *decoded;
  }
  const std::string file = text_of(map, key.c_str());
  if (file.empty()) return std::string{};
  auto text = read_small_file((folder / file).string());
  if (!text) return text.error().in(key);
  return text;
}

Status refuse_what_we_cannot_do(const YAML::Node& cluster, const YAML::Node& user) {
  if (text_of(cluster, "insecure-skip-tls-verify") == "true") {
    return Error{
        "insecure-skip-tls-verify: true is refused: anyone on the way could read the credentials and answer for the "
        "API "
        "server; write certificate-authority-data instead"};
  }
  if (!text_of(cluster, "proxy-url").empty()) {
    return Error{"proxy-url is not supported; reach the API server directly or through a tunnel"};
  }
  if (!text_of(cluster, "tls-server-name").empty()) {
    return Error{
        "tls-server-name is not supported; write the name that stands in the certificate into `server` instead"};
  }
  if (const YAML::Node provider = user["auth-provider"]; provider && !provider.IsNull()) {
    return Error{
        "the user's credentials come from `auth-provider`, which Kubernetes removed in 1.26; log in again with the "
        "cloud's "
        "own command line, which writes `exec`"};
  }
  if (!text_of(user, "username").empty() || !text_of(user, "password").empty()) {
    return Error{"username and password are not supported (Kubernetes removed them in 1.19); use a token"};
  }
  if (!text_of(user, "as").empty()) return Error{"impersonation (`as`) is not supported; use credentials of its own"};
  return Done{};
}

/// The user's credentials from the program that hands them out.
Status ask_plugin(const YAML::Node& exec, const YAML::Node& cluster, const fs::path& folder, Credentials& out) {
  const auto plugin = exec_plugin_of(exec, cluster, out.ca_pem, folder.string());
  if (!plugin) return plugin.error();
  auto credential = run_exec_plugin(*plugin);
  if (!credential) return credential.error();
  out.token = std::move(credential->token);
  out.certificate_pem = std::move(credential->certificate_pem);
  out.key_pem = std::move(credential->key_pem);
  return Done{};
}

Result<Credentials> read_config(const YAML::Node& root, const fs::path& folder, const std::string& wanted,
                                ExecPlugins plugins) {
  if (!root.IsMap()) return Error{"it is not a mapping"};
  const std::string context_name = wanted.empty() ? text_of(root, "current-context") : wanted;
  if (context_name.empty()) {
    return Error{"current-context is not set; name a context (kubectl config use-context NAME)"};
  }
  const auto context = entry(root, "contexts", "context", context_name);
  if (!context) return context.error();
  const auto cluster = entry(root, "clusters", "cluster", text_of(*context, "cluster"));
  if (!cluster) return cluster.error();
  const auto user = entry(root, "users", "user", text_of(*context, "user"));
  if (!user) return user.error();
  if (auto status = refuse_what_we_cannot_do(*cluster, *user); !status) return status.error();

  Credentials out;
  out.server = text_of(*cluster, "server");
  if (auto status = check_server(out.server); !status) return status.error();
  auto ca = data_or_file(*cluster, "certificate-authority", folder);
  if (!ca) return ca.error();
  if (ca->empty()) {
    return Error{
        "cluster `" + text_of(*context, "cluster") +
        "` has no certificate-authority-data or certificate-authority; the system's CAs are not trusted for an "
        "API server"};
  }
  out.ca_pem = *ca;
  auto certificate = data_or_file(*user, "client-certificate", folder);
  if (!certificate) return certificate.error();
  auto key = data_or_file(*user, "client-key", folder);
  if (!key) return key.error();
  if (certificate->empty() != key->empty()) {
    return Error{"client-certificate and client-key belong together; only one of them is there"};
  }
  out.certificate_pem = *certificate;
  out.key_pem = *key;
  if (const std::string file = text_of(*user, "tokenFile"); !file.empty()) out.token_file = (folder / file).string();
  out.token = text_of(*user, "token");
  // As for kubectl, a program is asked where no token stands.
  if (const YAML::Node exec = (*user)["exec"]; exec && !exec.IsNull() && out.token.empty() && out.token_file.empty()) {
    if (plugins == ExecPlugins::refuse) {
      return Error{
          "the user's credentials come from a program (`exec`) and would expire while this one runs; name a kubeconfig "
          "with a "
          "tokenFile or a client certificate"};
    }
    if (auto status = ask_plugin(exec, *cluster, folder, out); !status) return status.error();
  }
  if (out.certificate_pem.empty() && out.token_file.empty() && out.token.empty()) {
    return Error{"user `" + text_of(*context, "user") + "` has neither token, tokenFile nor client-certificate"};
  }
  if (const std::string ns = text_of(*context, "namespace"); !ns.empty()) out.default_namespace = ns;
  return out;
}

/// The file to read: the first that exists of $KUBECONFIG's entries, else ~/.kube/config.
std::optional<std::string> default_path() {
  if (const char* value = std::getenv("KUBECONFIG"); value != nullptr && *value != '\0') {
    std::string list = value;
    std::string first;
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(':', begin), list.size());
      const std::string path = list.substr(begin, end - begin);
      std::error_code ignored;  // an entry that cannot be examined is one that does not exist for us
      if (!path.empty() && fs::exists(path, ignored)) return path;
      if (first.empty()) first = path;
      begin = end + 1;
    }
    return first;  // reading it gives the error that names it
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.kube/config";
  }
  return std::nullopt;
}

}  // namespace

Result<Credentials> kubeconfig_credentials(const std::string& path, const std::string& context) {
  return read_kubeconfig(path, context, ExecPlugins::run);
}

Result<Credentials> read_kubeconfig(const std::string& path, const std::string& context, ExecPlugins plugins) {
  const auto file = path.empty() ? default_path() : std::optional<std::string>(path);
  if (!file) return Error{"no kubeconfig: neither KUBECONFIG nor HOME is set"};
  const auto text = read_small_file(*file);
  if (!text) return text.error().in("kubeconfig");
  try {
    auto out = read_config(YAML::Load(*text), fs::path(*file).parent_path(), context, plugins);
    if (!out) return out.error().in("kubeconfig " + *file);
    return out;
  } catch (const YAML::Exception& e) {
    return Error{"kubeconfig " + *file + ": " + e.what()};
  }
}

}  // namespace rollcall::kube
