#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client.h"
#include "kube/reflector.h"
#include "serve/certificate_watch.h"
#include "serve/server.h"
#include "telemetry/log.h"
#include "telemetry/registry.h"
#include "telemetry/standard.h"
#include "webhook/handler.h"
#include "webhook/metrics.h"
#include "webhook/policies/policy_book.h"
#include "webhook/policies/waiting_room.h"
#include "webhook/runtimes/runtime_book.h"
#include "webhook/start/runtime_watch.h"

/// The program's parts in the order they are made, and the steps that make them: each done, or an Error that says why
/// not.
namespace rollcall::webhook {

struct Flags {
  std::string namespace_name;  ///< the webhook's own; names it in logs
  std::uint16_t port = 9443;
  std::string tls_dir = "/tls";
  std::uint16_t health_port = 8081;
  std::uint16_t metrics_port = 8080;
  std::string kubeconfig;  ///< empty = the pod's service account
  Enforcement enforcement = Enforcement::deny;
  std::string client_ca_file;             ///< empty = whoever reaches the port may ask
  std::vector<std::string> client_names;  ///< of client certificates; empty = all that the authority signed
  int shutdown_delay = 5;                 ///< seconds from SIGTERM to the end of taking requests
  std::string certificate() const { return tls_dir + "/tls.crt"; }
  std::string key() const { return tls_dir + "/tls.key"; }
};

struct Program {
  Flags flags;
  sigset_t signals{};
  std::atomic<bool> ending{false};
  telemetry::Registry registry{"rollcall-webhook"};
  telemetry::Standard standard{registry};
  Metrics metrics{registry};
  std::unique_ptr<kube::Client> client;
  PolicyBook policies;
  WaitingRoom waiting;
  RuntimeBook runtimes;
  std::unique_ptr<Handler> handler;
  std::unique_ptr<serve::Server> server, health, metrics_server;
  std::unique_ptr<kube::Reflector> policy_watch, namespace_watch;
  std::unique_ptr<RuntimeWatch> runtime_watch;
  std::optional<serve::CertificateWatch> certificate, client_ca;
  /// Errors that strangers can cause are logged now and then.
  log::Sparingly errors{std::chrono::seconds(10)};
};

Status connect_client(Program& program);
Status start_watches(Program& program);
Status start_server(Program& program);
Status start_endpoints(Program& program);  ///< health and metrics

/// Why /readyz says no; nullopt = ready.
std::optional<std::string> not_ready(const Program& program);

/// Until SIGTERM or SIGINT; looks after the certificate meanwhile.
void wait_for_end(Program& program);
/// Readiness off; requests are taken for flags.shutdown_delay more, then those under way get their answer. A second
/// signal ends the process at once.
void end(Program& program);

}  // namespace rollcall::webhook
