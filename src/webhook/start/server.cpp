#include "webhook/review/review.h"
#include "webhook/start/program.h"
#include "webhook/time_limit.h"

namespace rollcall::webhook {
namespace {

serve::Options options_of(Program& program) {
  serve::Options options;
  options.port = program.flags.port;
  options.certificate_file = program.flags.certificate();
  options.key_file = program.flags.key();
  options.client_ca_file = program.flags.client_ca_file;
  options.client_names = program.flags.client_names;
  options.limits.body_bytes = kMaxReviewBytes;
  // Four of the largest reviews at one time; those that are usual have 7 KB.
  options.limits.body_bytes_in_flight = 4 * kMaxReviewBytes;
  // The API server's longest patience with a webhook, so that ours is never the shorter one.
  options.limits.respond = kLongestTimeLimit;
  // Each API server keeps up to a connection for each request under way; all come from few addresses.
  options.limits.connections_per_peer = 2000;
  options.limits.idle = std::chrono::seconds(90);
  options.on_error = [](const std::string& what) { log::error("server error", {{"error", what}}); };
  return options;
}

}  // namespace

Status start_server(Program& program) {
  Handler::Options handling;
  handling.enforcement = program.flags.enforcement;
  handling.runtimes = &program.runtimes;
  handling.ending = [&program] { return program.ending.load(); };
  handling.on_error = [&program](int status, const std::string& why) {
    const auto turn = program.errors.turn(std::to_string(status));
    if (turn.now)
      log::warn("a review was not answered", {{"status", status}, {"error", why}, {"held_back", turn.held_back}});
  };
  program.handler = std::make_unique<Handler>(program.policies, program.waiting, program.metrics, std::move(handling));
  const serve::Options options = options_of(program);
  auto server = serve::Server::start(options, [&program](serve::Request request, serve::Respond respond) {
    program.handler->handle(std::move(request), std::move(respond));
  });
  program.standard.certificate_read(server.ok());
  if (!server) return server.error();
  program.server = std::move(*server);
  const auto reload = [&program] {
    auto done = program.server->reload_certificate();
    program.standard.certificate_read(done.ok());
    return done;
  };
  program.certificate.emplace(options.certificate_file, options.key_file, reload);
  if (!options.client_ca_file.empty())
    program.client_ca.emplace(options.client_ca_file, options.client_ca_file, reload);
  program.registry.before_text(
      [&program] { program.metrics.server(program.server->counters(), program.server->open_connections()); });
  return Done{};
}

}  // namespace rollcall::webhook
