#include "telemetry/endpoints.h"

#include "webhook/start/program.h"

namespace rollcall::webhook {

std::optional<std::string> not_ready(const Program& program) {
  if (program.ending) return "the webhook is ending";
  return telemetry::unread(
      {{"RollcallPolicies", program.policy_watch.get()}, {"namespaces", program.namespace_watch.get()}});
}

Status start_endpoints(Program& program) {
  program.standard.watch(
      "rollcallpolicies", [&program] { return program.policy_watch->health(); },
      [&program] { return program.policies.policies(); });
  program.standard.watch(
      "namespaces", [&program] { return program.namespace_watch->health(); },
      [&program] { return program.policies.namespaces(); });
  program.standard.watch(
      "trainingruntimes", [&program] { return program.runtime_watch->health(); },
      [&program] { return program.runtimes.size(); });
  auto health = telemetry::serve_health(program.flags.health_port, [&program] { return not_ready(program); });
  if (!health) return health.error();
  program.health = std::move(*health);
  auto metrics = telemetry::serve_metrics(program.flags.metrics_port, program.registry);
  if (!metrics) return metrics.error();
  program.metrics_server = std::move(*metrics);
  return Done{};
}

}  // namespace rollcall::webhook
