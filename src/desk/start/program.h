#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "desk/leader/endpoints.h"
#include "desk/metrics.h"
#include "desk/service.h"
#include "kube/client.h"
#include "kube/leader/elector.h"
#include "kube/reflector.h"
#include "serve/certificate_watch.h"
#include "serve/server.h"
#include "telemetry/log.h"

/// The program's parts in the order they are made, and the steps that make them: each done, or an Error that says why
/// not.
namespace rollcall::desk {

struct Flags {
  std::string namespace_name;  ///< the desk's own: of its Lease and EndpointSlice
  std::uint16_t port = 8443;
  std::string tls_dir = "/tls";
  std::uint16_t health_port = 8081;
  std::uint16_t metrics_port = 8080;
  std::string kubeconfig;  ///< empty = the pod's service account

  bool leader_elect = true;
  kube::LeaseTimes lease = {};
  std::string service;      ///< name of the Service that probes ask
  std::string pod_name;     ///< of the environment, POD_NAME
  std::string pod_address;  ///< POD_IP

  std::string certificate() const { return tls_dir + "/tls.crt"; }
  std::string key() const { return tls_dir + "/tls.key"; }
};

/// Takes the flags and the environment; an Error names what is wrong with them. `argc`, `argv` as main has them; an
/// exit code instead when the command line asked for help or cannot be read.
Result<std::optional<int>> read_flags(int argc, char** argv, Flags& flags);

struct Program {
  Flags flags;
  sigset_t signals{};
  std::atomic<bool> ready{false};  ///< /readyz
  Metrics metrics;
  std::unique_ptr<kube::Client> client;
  std::unique_ptr<kube::Client> lease_client;  ///< its calls end in time for a second try
  log::Sparingly lease_failures{std::chrono::seconds(30)};
  std::once_flag elector_begun;
  std::unique_ptr<kube::Elector> elector;  ///< none without election
  std::unique_ptr<EndpointKeeper> endpoint;
  std::unique_ptr<Service> service;
  std::unique_ptr<serve::Server> server;
  std::unique_ptr<serve::Server> health, metrics_server;
  std::unique_ptr<kube::Reflector> roll_calls, pods;
  std::optional<serve::CertificateWatch> certificate;
};

Status block_signals(Program& program);  ///< before the first thread, so that all inherit it
Status connect_client(Program& program);
Status make_elector(Program& program);
Status make_service(Program& program);
Status start_server(Program& program);
Status start_watches(Program& program);
Status start_endpoints(Program& program);

/// Both lists are complete, so that this desk could lead: it takes part in the election, or without one has probes led
/// to it. Only the first call counts.
void stand_for_election(Program& program);

/// Until SIGTERM or SIGINT; looks after the certificate meanwhile.
void wait_for_end(Program& program);
/// Readiness off, held replies out, server and writers ended, then the lease given back: when another takes over,
/// nothing of this desk is on its way. A second signal ends the process at once.
void end(Program& program);

}  // namespace rollcall::desk
