#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "desk/metrics.h"
#include "desk/service.h"
#include "kube/client.h"
#include "kube/reflector.h"
#include "serve/certificate_watch.h"
#include "serve/server.h"

/// The program's parts in the order they are made, and the steps that make them: each done, or an Error that says why
/// not.
namespace rollcall::desk {

struct Flags {
  std::string namespace_name;  ///< the desk's own; names it in logs
  std::uint16_t port = 8443;
  std::string tls_dir = "/tls";
  std::uint16_t health_port = 8081;
  std::string kubeconfig;  ///< empty = the pod's service account
  std::string certificate() const { return tls_dir + "/tls.crt"; }
  std::string key() const { return tls_dir + "/tls.key"; }
};

struct Program {
  Flags flags;
  sigset_t signals{};
  std::atomic<bool> ready{false};  ///< /readyz
  std::unique_ptr<Metrics> metrics;
  std::unique_ptr<kube::Client> client;
  std::unique_ptr<Service> service;
  std::unique_ptr<serve::Server> server;
  std::unique_ptr<serve::Server> health;
  std::unique_ptr<kube::Reflector> roll_calls, pods;
  std::optional<serve::CertificateWatch> certificate;
};

Status block_signals(Program& program);  ///< before the first thread, so that all inherit it
Status connect_client(Program& program);
Status make_service(Program& program);
Status start_server(Program& program);
Status start_health(Program& program);
Status start_watches(Program& program);

/// Until SIGTERM or SIGINT; looks after the certificate meanwhile.
void wait_for_end(Program& program);
/// Readiness off, held replies out, server and threads ended. A second signal ends the process at once.
void end(Program& program);

}  // namespace rollcall::desk
