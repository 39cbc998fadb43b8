#include <CLI/CLI.hpp>
#include <cstdlib>

#include "api/names.h"
#include "desk/start/program.h"

namespace rollcall::desk {
namespace {

std::string of_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// What Lease and EndpointSlice need to know, each with where it comes from.
Status check_place(const Flags& flags) {
  if (flags.namespace_name.empty())
    return Error{"--namespace is empty: the desk's Lease and EndpointSlice stand there"};
  if (flags.pod_name.empty())
    return Error{
        "POD_NAME is empty: set it from the field metadata.name; it names the leader in the Lease and the pod in the "
        "EndpointSlice"};
  if (auto slice = slice_of({flags.namespace_name, flags.service, flags.pod_name, flags.pod_address, flags.port});
      !slice)
    return slice.error();
  return Done{};
}

}  // namespace

Result<std::optional<int>> read_flags(int argc, char** argv, Flags& flags) {
  double lease = 15, renew = 10, retry = 2;
  flags.service = api::names::kDeskService;
  CLI::App app{"Leads the roll calls of training jobs: hears the probes, gives each job its one verdict."};
  app.add_option("--namespace", flags.namespace_name, "namespace the desk runs in");
  app.add_option("--port", flags.port, "HTTPS port for the probes")->capture_default_str();
  app.add_option("--tls-dir", flags.tls_dir, "folder with tls.crt and tls.key; read again when they change")
      ->capture_default_str();
  app.add_option("--health-port", flags.health_port, "plain HTTP port: /healthz, /readyz")->capture_default_str();
  app.add_option("--metrics-port", flags.metrics_port, "plain HTTP port: /metrics")->capture_default_str();
  app.add_option("--kubeconfig", flags.kubeconfig, "to run outside the cluster; default: the pod's service account");
  app.add_flag("--leader-elect,!--no-leader-elect", flags.leader_elect,
               "one of several desks leads and the Service leads to it; =false: this one always does, and must be the "
               "only one")
      ->capture_default_str();
  app.add_option("--lease-duration", lease, "seconds after which a silent leader is replaced")->capture_default_str();
  app.add_option("--renew-deadline", renew, "seconds without renewal after which a leader ends itself")
      ->capture_default_str();
  app.add_option("--retry-period", retry, "seconds between two tries")->capture_default_str();
  app.add_option("--desk-service", flags.service, "name of the Service that probes ask")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return std::optional(app.exit(error));
  }
  flags.lease = {milliseconds(lease), milliseconds(renew), milliseconds(retry)};
  flags.pod_name = of_environment("POD_NAME");
  flags.pod_address = of_environment("POD_IP");
  // Also without election: the slice is looked at every retry period.
  if (auto times = kube::check(flags.lease); !times) return times.error();
  if (auto fine = check_place(flags); !fine) return fine.error();
  return std::optional<int>();
}

}  // namespace rollcall::desk
