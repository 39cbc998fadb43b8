#pragma once

#include <string>

#include "base/result.h"

namespace rollcall::kube {

struct Credentials {
  std::string server;      ///< https://HOST:PORT
  std::string ca_file;     ///< PEM file, read again for each new connection; or
  std::string ca_pem;      ///< the PEM itself
  std::string token_file;  ///< read again before a request, at most every 10 s, and at once after a 401
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  std::string default_namespace = "default";
};

/// The pod's own service account: KUBERNETES_SERVICE_HOST and _PORT, and the files in `dir`. On an IPv6 cluster the
/// server is `kubernetes.default.svc`, because the HTTP library cannot connect to an IPv6 literal.
Result<Credentials> in_cluster_credentials(const std::string& dir = "/var/run/secrets/kubernetes.io/serviceaccount");

/// `path` empty: $KUBECONFIG (first existing entry), then ~/.kube/config. `context` empty: the current one. Files it
/// names are relative to it; a program that it names for credentials (`exec`) is run. Refused, each in words:
/// insecure-skip-tls-verify, auth-provider, passwords, impersonation, proxies, http://, IPv6 literals.
Result<Credentials> kubeconfig_credentials(const std::string& path = {}, const std::string& context = {});

/// What a program runs with: the kubeconfig it was given, else (`kubeconfig` empty) its pod's own service account.
Result<Credentials> program_credentials(const std::string& kubeconfig);

/// Why a server's address cannot be used, in words; Done when it can.
Status check_server(const std::string& server);

/// A whole file of at most 1 MiB (certificates, tokens and kubeconfigs are kilobytes; more is a mistake).
Result<std::string> read_small_file(const std::string& path);

}  // namespace rollcall::kube
