#include "telemetry/endpoints.h"

#include "operator/start/program.h"

namespace rollcall::operator_ {
namespace {

/// A standby is ready: it can act at once. A leader is once the desk's certificate stands, without which nothing
/// starts.
std::optional<std::string> why_not_ready(const Program& program) {
  if (!program.ready) return "the operator is ending";
  if (!program.controller->synced()) return "the caches are not complete yet";
  if (program.leading() && !program.trusted) return "the certificates do not stand yet; the log says why";
  return std::nullopt;
}

}  // namespace

Status start_endpoints(Program& program) {
  auto health = telemetry::serve_health(program.options.health_port, [&program] { return why_not_ready(program); });
  if (!health) return health.error().in("--health-port");
  program.health = std::move(*health);
  if (program.options.metrics_port == 0) return Done{};
  auto metrics = telemetry::serve_metrics(program.options.metrics_port, program.metrics.registry());
  if (!metrics) return metrics.error().in("--metrics-port");
  program.metrics_server = std::move(*metrics);
  return Done{};
}

}  // namespace rollcall::operator_
