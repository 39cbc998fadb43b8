#include "telemetry/endpoints.h"

#include "telemetry/log.h"

namespace rollcall::telemetry {
namespace {

using Answer = std::function<serve::Response(const std::string& path)>;

constexpr auto kText = "text/plain; charset=utf-8";

serve::Response words(int status, std::string text) { return {status, kText, std::move(text) + "\n", {}}; }

serve::Response answer_of(const Check& check) {
  const auto why_not = check ? check() : std::nullopt;
  return why_not ? words(503, *why_not) : words(200, "ok");
}

Result<std::unique_ptr<serve::Server>> serve_plain(const std::string& what, std::uint16_t port, Answer answer) {
  serve::Options options;
  options.port = port;
  options.threads = 1;
  // A kubelet and a few Prometheus servers ask, each on a connection or two; the rest are strangers.
  options.limits.connections = 64;
  options.limits.body_bytes = 1024;
  options.on_error = [what](const std::string& error) {
    log::error("server error", {{"server", what}, {"error", error}});
  };
  return serve::Server::start(
      options, [answer = std::move(answer)](const serve::Request& request, const serve::Respond& respond) {
        if (request.method != "GET" && request.method != "HEAD") return respond(words(405, "only GET is answered"));
        respond(answer(request.target.substr(0, request.target.find('?'))));
      });
}

}  // namespace

std::optional<std::string> unread(std::initializer_list<std::pair<const char*, const kube::Reflector*>> lists) {
  for (const auto& [what, watch] : lists) {
    if (watch->synced()) continue;
    const auto health = watch->health();
    return std::string("the list of ") + what + " is not read yet" +
           (health.last_error.empty() ? "" : ": " + health.last_error);
  }
  return std::nullopt;
}

Result<std::unique_ptr<serve::Server>> serve_health(std::uint16_t port, Check ready, Check alive) {
  return serve_plain("health", port, [ready = std::move(ready), alive = std::move(alive)](const std::string& path) {
    if (path == "/healthz" || path == "/livez") return answer_of(alive);
    if (path == "/readyz") return answer_of(ready);
    return words(404, "this port serves /healthz and /readyz");
  });
}

Result<std::unique_ptr<serve::Server>> serve_metrics(std::uint16_t port, const Registry& registry) {
  return serve_plain("metrics", port, [&registry](const std::string& path) -> serve::Response {
    if (path == "/metrics") return {200, "text/plain; version=0.0.4; charset=utf-8", registry.text(), {}};
    return words(404, "this port serves /metrics");
  });
}

}  // namespace rollcall::telemetry
