#include <malloc.h>

#include <CLI/CLI.hpp>

#include "telemetry/signals.h"
#include "webhook/start/program.h"

using namespace rollcall;
using namespace rollcall::webhook;

namespace {

struct Step {
  const char* name;
  Status (*act)(Program&);
};

constexpr Step kSteps[] = {
    {"API client", connect_client},
    {"watches", start_watches},
    {"admission server", start_server},
    {"health and metrics servers", start_endpoints},
};

int run(const Flags& flags, const sigset_t& signals) {
  Program program;
  program.flags = flags;
  program.signals = signals;
  for (const auto& step : kSteps) {
    if (const auto done = step.act(program); !done) {
      log::error("cannot start", {{"step", step.name}, {"error", done.error().message}});
      return 1;
    }
  }
  log::info("webhook started", {{"namespace", flags.namespace_name},
                                {"port", program.server->port()},
                                {"health_port", program.health->port()},
                                {"metrics_port", program.metrics_server->port()},
                                {"enforcement", to_string(flags.enforcement)}});
  wait_for_end(program);
  end(program);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app{"Admission of training jobs: refuses launches that cannot work, with what to write instead."};
  app.add_option("--namespace", flags.namespace_name, "namespace the webhook runs in");
  app.add_option("--port", flags.port, "HTTPS port for the API server")->capture_default_str();
  app.add_option("--tls-dir", flags.tls_dir, "folder with tls.crt and tls.key; read again when they change")
      ->capture_default_str();
  app.add_option("--health-port", flags.health_port, "plain HTTP port: /healthz, /readyz")->capture_default_str();
  app.add_option("--metrics-port", flags.metrics_port, "plain HTTP port: /metrics")->capture_default_str();
  app.add_option("--kubeconfig", flags.kubeconfig, "to run outside the cluster; default: the pod's service account");
  std::string enforcement = "deny";
  app.add_option("--enforcement", enforcement,
                 "what a denial does: deny refuses, warn warns, dryrun only counts and audits")
      ->check(CLI::IsMember({"deny", "warn", "dryrun"}))
      ->capture_default_str();
  app.add_option("--client-ca-file", flags.client_ca_file,
                 "PEM: only clients with a certificate of this authority may ask (the API server's, by its "
                 "AdmissionConfiguration)");
  app.add_option("--client-name", flags.client_names,
                 "common name or DNS name such a certificate must carry; repeatable; default: any")
      ->needs("--client-ca-file");
  app.add_option("--shutdown-delay", flags.shutdown_delay,
                 "seconds from SIGTERM to the end of taking requests, until endpoints have followed")
      ->check(CLI::Range(0, 50))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (enforcement == "warn") flags.enforcement = Enforcement::warn;
  if (enforcement == "dryrun") flags.enforcement = Enforcement::dryrun;

  // Threads that each keep an arena of their own would hold several MiB that none of them needs.
  mallopt(M_ARENA_MAX, 2);
  log::start();
  sigset_t signals;
  if (const auto blocked = telemetry::block_end_signals(signals); !blocked) {
    log::error("cannot start", {{"step", "signals"}, {"error", blocked.error().message}});
    return 1;
  }
  // Before any client: cpprestsdk's pool would have 40 threads.
  kube::initialize(2U);
  return run(flags, signals);
}
