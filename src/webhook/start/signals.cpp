#include "telemetry/signals.h"

#include <algorithm>

#include "telemetry/certificate_look.h"
#include "webhook/start/program.h"

namespace rollcall::webhook {
namespace {

/// From SIGTERM to the end, all together: controller-runtime's figure for webhook servers.
constexpr int kLongestEnd = 60;
/// For requests under way once none is taken any more: the API server's patience with this webhook is 5 s by the chart,
/// 30 s at most.
constexpr int kGrace = 10;

void look_after_certificates(Program& program) {
  telemetry::look_after(*program.certificate, program.flags.certificate());
  if (program.client_ca) telemetry::look_after(*program.client_ca, program.flags.client_ca_file);
}

}  // namespace

void wait_for_end(Program& program) {
  for (;;) {
    if (const int signal = telemetry::next_end_signal(program.signals, telemetry::kCertificateLook); signal > 0) {
      log::info("ending", {{"signal", signal}});
      return;
    }
    look_after_certificates(program);
  }
}

void end(Program& program) {
  program.ending = true;
  // Endpoints follow readiness with a delay; until the API server's proxies have heard, requests still come here.
  const int delay = std::clamp(program.flags.shutdown_delay, 0, kLongestEnd - kGrace);
  const bool impatient = delay > 0 && telemetry::next_end_signal(program.signals, delay) > 0;
  telemetry::unblock_end_signals(program.signals);  // a further signal takes its default effect
  if (impatient) log::info("ending at once: a second signal came");
  program.waiting.close();
  program.server->stop(impatient ? std::chrono::seconds(0) : std::chrono::seconds(kGrace));
  program.policy_watch->stop();
  program.namespace_watch->stop();
  program.runtime_watch->stop();
  program.metrics_server->stop(std::chrono::milliseconds(0));
  program.health->stop(std::chrono::milliseconds(0));
  log::info("ended");
}

}  // namespace rollcall::webhook
