#include "desk/start/program.h"
#include "telemetry/log.h"

namespace rollcall::desk {
namespace {

serve::Response text(int status, std::string body) {
  return {status, "text/plain; version=0.0.4", std::move(body), {}};
}

serve::Response metrics(Program& program) {
  program.metrics->take(program.service->figures());
  program.metrics->take(program.server->counters(), program.server->open_connections());
  program.metrics->take("rollcalls", program.roll_calls->health());
  program.metrics->take("pods", program.pods->health());
  return text(200, program.metrics->text());
}

serve::Response readiness(Program& program) {
  if (!program.ready) return text(503, "the desk is starting or ending\n");
  for (const auto& [what, watch] :
       {std::pair{"RollCalls", program.roll_calls.get()}, std::pair{"pods", program.pods.get()}}) {
    if (watch->synced()) continue;
    const auto health = watch->health();
    return text(503, std::string("the list of ") + what + " is not read yet" +
                         (health.last_error.empty() ? "" : ": " + health.last_error) + "\n");
  }
  return text(200, "ok\n");
}

}  // namespace

Status start_health(Program& program) {
  serve::Options options;
  options.port = program.flags.health_port;
  options.threads = 1;
  options.limits.connections = 100;
  options.limits.body_bytes = 1024;
  options.on_error = [](const std::string& what) { log::error("health server error", {{"error", what}}); };
  auto server = serve::Server::start(options, [&program](serve::Request request, serve::Respond respond) {
    if (request.target == "/healthz") return respond(text(200, "ok\n"));
    if (request.target == "/readyz") return respond(readiness(program));
    if (request.target == "/metrics") return respond(metrics(program));
    respond(text(404, "this port serves /healthz, /readyz and /metrics\n"));
  });
  if (!server) return server.error();
  program.health = std::move(*server);
  return Done{};
}

}  // namespace rollcall::desk
