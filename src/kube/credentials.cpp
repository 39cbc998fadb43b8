#include "kube/credentials.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "kube/kubeconfig.h"

namespace rollcall::kube {

namespace {

constexpr std::size_t kMaxFile = std::size_t{1} << 20;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

}  // namespace

Result<std::string> read_small_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{path + " cannot be read: " + std::strerror(errno == 0 ? EIO : errno)};
  std::string text(kMaxFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return Error{path + " cannot be read: " + std::strerror(errno == 0 ? EIO : errno)};
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxFile) return Error{path + " is larger than 1 MiB; it is not what was meant to be named here"};
  return text;
}

Status check_server(const std::string& server) {
  static constexpr std::string_view kScheme = "https://";
  if (server.empty()) return Error{"the API server's address is empty; write https://HOST:PORT"};
  if (server.compare(0, kScheme.size(), kScheme) != 0) {
    return Error{"the API server's address `" + server +
                 "` does not start with https://; credentials are not sent in the clear"};
  }
  const std::string rest = server.substr(kScheme.size());
  if (rest.empty() || rest[0] == '/' || rest[0] == ':') {
    return Error{"the API server's address `" + server + "` names no host; write https://HOST:PORT"};
  }
  if (rest[0] == '[') {
    return Error{
        "the API server's address `" + server +
        "` is an IPv6 literal, which the HTTP library cannot connect to; write a host name that resolves to it "
        "and stands in the server's certificate"};
  }
  if (rest.find('@') != std::string::npos) {
    return Error{"the API server's address must not carry a user name or password"};
  }
  return Done{};
}

Result<Credentials> in_cluster_credentials(const std::string& dir) {
  const std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Error{
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this is not a pod of a cluster; name a "
        "kubeconfig instead"};
  }
  Credentials out;
  const bool ipv6 = host.find(':') != std::string::npos;
  out.server = "https://" + (ipv6 ? std::string("kubernetes.default.svc") : host) + ':' + port;
  out.ca_file = dir + "/ca.crt";
  out.token_file = dir + "/token";
  if (auto ca = read_small_file(out.ca_file); !ca) return ca.error().in("the service account's CA");
  if (auto token = read_small_file(out.token_file); !token) return token.error().in("the service account's token");
  if (auto ns = read_small_file(dir + "/namespace"); ns && !ns->empty()) out.default_namespace = *ns;
  while (!out.default_namespace.empty() && out.default_namespace.back() == '\n') out.default_namespace.pop_back();
  return out;
}

Result<Credentials> program_credentials(const std::string& kubeconfig) {
  return kubeconfig.empty() ? in_cluster_credentials() : read_kubeconfig(kubeconfig, {}, ExecPlugins::refuse);
}

}  // namespace rollcall::kube
