#include <malloc.h>

#include <CLI/CLI.hpp>

#include "desk/start/program.h"
#include "telemetry/log.h"

using namespace rollcall;
using namespace rollcall::desk;

namespace {

struct Step {
  const char* name;
  Status (*act)(Program&);
};

constexpr Step kSteps[] = {
    {"signals", block_signals},       {"API client", connect_client}, {"service", make_service},
    {"probes' server", start_server}, {"watches", start_watches},     {"health server", start_health},
};

}  // namespace

int main(int argc, char** argv) {
  Program program;
  CLI::App app{"Leads the roll calls of training jobs: hears the probes, gives each job its one verdict."};
  app.add_option("--namespace", program.flags.namespace_name, "namespace the desk runs in");
  app.add_option("--port", program.flags.port, "HTTPS port for the probes")->capture_default_str();
  app.add_option("--tls-dir", program.flags.tls_dir, "folder with tls.crt and tls.key; read again when they change")
      ->capture_default_str();
  app.add_option("--health-port", program.flags.health_port, "plain HTTP port: /healthz, /readyz, /metrics")
      ->capture_default_str();
  app.add_option("--kubeconfig", program.flags.kubeconfig,
                 "to run outside the cluster; default: the pod's service account");
  CLI11_PARSE(app, argc, argv);

  // Threads that each keep an arena of their own would hold several MiB that none of them needs.
  mallopt(M_ARENA_MAX, 2);
  log::start();
  // Before any thread: cpprestsdk's pool inherits the signal mask too.
  for (const auto& step : kSteps) {
    if (step.act == connect_client) kube::initialize(2U);
    if (const auto done = step.act(program); !done) {
      log::error("cannot start", {{"step", step.name}, {"error", done.error().message}});
      return 1;
    }
  }
  program.ready = true;
  log::info("desk started", {{"namespace", program.flags.namespace_name},
                             {"port", program.server->port()},
                             {"health_port", program.health->port()}});
  wait_for_end(program);
  end(program);
  return 0;
}
