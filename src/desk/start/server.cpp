#include "desk/start/program.h"
#include "telemetry/log.h"

namespace rollcall::desk {
namespace {

Status reload(Program& program) {
  auto done = program.server->reload_certificate();
  program.metrics.standard().certificate_read(done.ok());
  if (const auto end = program.server->certificate_end()) program.metrics.standard().certificate_expiry("desk", *end);
  return done;
}

}  // namespace

Status start_server(Program& program) {
  serve::Options options;
  options.port = program.flags.port;
  options.certificate_file = program.flags.certificate();
  options.key_file = program.flags.key();
  options.on_error = [](const std::string& what) { log::error("server error", {{"error", what}}); };
  auto server = serve::Server::start(options, [&program](serve::Request request, serve::Respond respond) {
    program.service->handle(std::move(request), std::move(respond));
  });
  program.metrics.standard().certificate_read(server.ok());
  if (!server) return server.error();
  program.server = std::move(*server);
  if (const auto end = program.server->certificate_end()) program.metrics.standard().certificate_expiry("desk", *end);
  program.metrics.follow([&program] { return program.server->counters(); },
                         [&program] { return program.server->open_connections(); });
  program.certificate.emplace(options.certificate_file, options.key_file, [&program] { return reload(program); });
  return Done{};
}

}  // namespace rollcall::desk
