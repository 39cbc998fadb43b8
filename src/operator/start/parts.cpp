#include "api/names.h"
#include "operator/start/program.h"
#include "telemetry/log.h"

namespace rollcall::operator_ {
namespace {

namespace names = api::names;

/// waitForPodsSeconds and holdSeconds of a job, a week each at most: how long a pod with a node waits.
constexpr auto kLongestWait = std::chrono::hours(24 * 14);

void warn_of_short_lives(const Options& flags) {
  const auto holds = flags.lifetimes.told_before();
  if (flags.external_certificates || holds > kLongestWait) return;
  log::warn("authority is short-lived: a pod that waits its longest may outlive the bundle it was given",
            {{"bundle_hours", holds.count()}, {"longest_wait_hours", kLongestWait.count()}});
}

Upkeep::Settings upkeep_settings(const Options& flags) {
  Upkeep::Settings settings;
  settings.ns = flags.ns;
  settings.servers = {{"desk", names::kDeskSecret, flags.desk_service}};
  settings.lifetimes = flags.lifetimes;
  settings.external = flags.external_certificates;
  settings.now = [] { return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now()); };
  if (flags.webhook_service.empty()) return settings;
  // Kept by others, the webhook's pair is the webhook's business alone: only the desk's bundle is handed on here.
  if (!settings.external) settings.servers.push_back({"webhook", names::kWebhookSecret, flags.webhook_service});
  settings.keep_ca_bundle = flags.keep_ca_bundle;
  settings.configurations = flags.webhook_configurations;
  settings.webhook = {flags.ns, flags.webhook_service};
  return settings;
}

}  // namespace

Status make_parts(Program& program) {
  const auto& flags = program.options;
  warn_of_short_lives(flags);
  program.acting = std::make_unique<LeaderClient>(*program.client, [&program] { return program.may_write(); });
  program.desk = std::make_unique<DeskReference>(
      *program.acting, DeskReference::Settings{flags.ns, flags.desk_service, flags.probe_image,
                                               flags.probe_image_pull_policy, flags.bundled_probe_image});
  program.controller = std::make_unique<Controller>(*program.acting, *program.desk, program.metrics,
                                                    flags.watch_namespaces, flags.rules_refuse);
  program.upkeep =
      std::make_unique<Upkeep>(*program.acting, *program.desk, upkeep_settings(flags), [&program](const Trust& trust) {
        for (const auto& [certificate, end] : trust.expires)
          program.metrics.standard().certificate_expiry(certificate, end);
        program.trusted = true;
      });
  return Done{};
}

Status start_caches(Program& program) {
  program.controller->start();
  return Done{};
}

}  // namespace rollcall::operator_
