#include "desk/start/program.h"
#include "telemetry/certificate_look.h"
#include "telemetry/log.h"
#include "telemetry/signals.h"

namespace rollcall::desk {
namespace {

/// Held replies are out at once; what remains are requests on the wire. A pod has 30 s from SIGTERM to its end.
constexpr std::chrono::milliseconds kGrace{5'000};

}  // namespace

Status block_signals(Program& program) { return telemetry::block_end_signals(program.signals); }

void wait_for_end(Program& program) {
  for (;;) {
    if (const int signal = telemetry::next_end_signal(program.signals, telemetry::kCertificateLook); signal > 0) {
      log::info("ending", {{"signal", signal}});
      return;
    }
    telemetry::look_after(*program.certificate, program.flags.certificate());
  }
}

void end(Program& program) {
  telemetry::unblock_end_signals(program.signals);  // a second signal takes its default effect
  program.ready = false;
  program.service->let_go();
  program.server->stop(kGrace);
  program.service->stop();
  std::call_once(program.elector_begun, [] {});  // who has not stood for election yet does not any more
  if (program.endpoint) program.endpoint->stop();
  if (program.elector) program.elector->stop();
  program.roll_calls->stop();
  program.pods->stop();
  program.metrics_server->stop(std::chrono::milliseconds(0));
  program.health->stop(std::chrono::milliseconds(0));
  log::info("ended");
}

}  // namespace rollcall::desk
