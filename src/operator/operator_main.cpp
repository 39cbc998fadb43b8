#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "kube/client.h"
#include "operator/controller.h"
#include "operator/desk_reference.h"
#include "operator/metrics.h"
#include "operator/options.h"
#include "serve/server.h"
#include "telemetry/log.h"

namespace rollcall::operator_ {
namespace {

/// What the steps build; torn down in the opposite order.
struct Program {
  Options options;
  sigset_t signals{};
  Metrics metrics;
  std::unique_ptr<kube::Client> client;
  std::unique_ptr<DeskReference> desk;
  std::unique_ptr<Controller> controller;
  std::unique_ptr<serve::Server> health;
};

struct Step {
  const char* name;
  Status (*run)(Program&);
};

/// Before any thread, so that all of them leave the signals to main.
Status block_signals(Program& program) {
  sigemptyset(&program.signals);
  sigaddset(&program.signals, SIGTERM);
  sigaddset(&program.signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &program.signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return Done{};
}

Status make_client(Program& program) {
  kube::initialize(2);
  auto credentials = program.options.kubeconfig.empty() ? kube::in_cluster_credentials()
                                                        : kube::kubeconfig_credentials(program.options.kubeconfig);
  if (!credentials) return credentials.error();
  kube::ClientOptions options;
  options.user_agent = "rollcall-operator";
  auto client = kube::Client::make(std::move(credentials.value()), options);
  if (!client) return client.error();
  program.client = std::move(client.value());
  return Done{};
}

/// A desk that is not there yet is no reason not to start: it waits for the certificate that is made here.
Status find_desk(Program& program) {
  program.desk = std::make_unique<DeskReference>(*program.client, program.options);
  if (const auto found = program.desk->refresh(); !found) log::warn("desk not found", {{"why", found.error().message}});
  program.desk->start();
  return Done{};
}

Status start_controller(Program& program) {
  program.controller = std::make_unique<Controller>(*program.client, *program.desk, program.metrics);
  program.controller->start(2);
  return Done{};
}

serve::Response health_reply(Program& program, const std::string& target) {
  const auto text = [](int status, std::string body) {
    return serve::Response{status, "text/plain; charset=utf-8", std::move(body), {}};
  };
  if (target == "/healthz") return text(200, "ok\n");
  if (target == "/readyz") {
    if (!program.controller->synced()) return text(503, "the caches are not complete yet\n");
    if (!program.desk->known().certificates) return text(503, "the desk's certificate is not stored yet\n");
    return text(200, "ok\n");
  }
  if (target == "/metrics") {
    program.controller->measure();
    return {200, "text/plain; version=0.0.4; charset=utf-8", program.metrics.text(), {}};
  }
  return text(404, "there are /healthz, /readyz and /metrics\n");
}

Status serve_health(Program& program) {
  serve::Options options;
  options.port = program.options.health_port;
  options.threads = 1;
  options.limits.connections = 64;
  auto server = serve::Server::start(options, [&program](const serve::Request& request, const serve::Respond& respond) {
    respond(health_reply(program, request.target));
  });
  if (!server) return server.error();
  program.health = std::move(server.value());
  return Done{};
}

Status wait_for_signal(Program& program) {
  int signal = 0;
  sigwait(&program.signals, &signal);
  log::info("stopping", {{"signal", std::to_string(signal)}});
  // A second signal ends the program at once.
  pthread_sigmask(SIG_UNBLOCK, &program.signals, nullptr);
  return Done{};
}

Status stop(Program& program) {
  program.health->stop(std::chrono::milliseconds(500));
  program.controller->stop();
  return Done{};
}

constexpr Step kSteps[] = {
    {"block signals", block_signals},
    {"connect to the API server", make_client},
    {"find the desk, keep its certificate", find_desk},
    {"start the controller", start_controller},
    {"serve health and metrics", serve_health},
    {"run", wait_for_signal},
    {"stop", stop},
};

int run(Options options) {
  log::start();
  Program program;
  program.options = std::move(options);
  for (const auto& step : kSteps) {
    log::info("step", {{"name", step.name}});
    if (const auto done = step.run(program); !done) {
      log::error("step failed", {{"name", step.name}, {"why", done.error().message}});
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace rollcall::operator_

int main(int argc, char** argv) {
  auto options = rollcall::operator_::options_from(argc, argv);
  if (const auto* code = std::get_if<int>(&options)) return *code;
  return rollcall::operator_::run(std::move(std::get<rollcall::operator_::Options>(options)));
}
