#include "desk/start/program.h"
#include "telemetry/log.h"

namespace rollcall::desk {

Status start_server(Program& program) {
  serve::Options options;
  options.port = program.flags.port;
  options.certificate_file = program.flags.certificate();
  options.key_file = program.flags.key();
  options.on_error = [](const std::string& what) { log::error("server error", {{"error", what}}); };
  auto server = serve::Server::start(options, [&program](serve::Request request, serve::Respond respond) {
    program.service->handle(std::move(request), std::move(respond));
  });
  program.metrics->certificate_read(server.ok());
  if (!server) return server.error();
  program.server = std::move(*server);
  program.certificate.emplace(options.certificate_file, options.key_file,
                              [&program] { return program.server->reload_certificate(); });
  return Done{};
}

}  // namespace rollcall::desk
