#include "telemetry/endpoints.h"

#include "desk/start/program.h"

namespace rollcall::desk {
namespace {

/// Readiness is not leadership: a desk that stands by is ready when it could lead.
std::optional<std::string> why_not_ready(const Program& program) {
  if (!program.ready) return "the desk is starting or ending";
  return telemetry::unread({{"RollCalls", program.roll_calls.get()}, {"pods", program.pods.get()}});
}

}  // namespace

Status start_endpoints(Program& program) {
  auto health = telemetry::serve_health(program.flags.health_port, [&program] { return why_not_ready(program); });
  if (!health) return health.error();
  program.health = std::move(*health);
  auto metrics = telemetry::serve_metrics(program.flags.metrics_port, program.metrics.registry());
  if (!metrics) return metrics.error();
  program.metrics_server = std::move(*metrics);
  return Done{};
}

}  // namespace rollcall::desk
