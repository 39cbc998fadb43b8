#include <pthread.h>

#include <cerrno>
#include <cstring>

#include "desk/start/program.h"
#include "telemetry/log.h"

namespace rollcall::desk {
namespace {

/// How often the certificate's files are looked at: they are replaced weeks before they expire.
constexpr timespec kLookEvery{10, 0};
/// Held replies are out at once; what remains are requests on the wire. A pod has 30 s from SIGTERM to its end.
constexpr std::chrono::milliseconds kGrace{5'000};

void look_after_certificate(Program& program) {
  switch (program.certificate->look()) {
    case serve::CertificateWatch::Look::Same:
      return;
    case serve::CertificateWatch::Look::Reloaded:
      log::info("certificate read anew", {{"file", program.flags.certificate()}});
      return;
    case serve::CertificateWatch::Look::Failed:
      log::error("certificate not usable; the old one is served", {{"error", program.certificate->error()}});
      return;
  }
}

}  // namespace

Status block_signals(Program& program) {
  sigemptyset(&program.signals);
  sigaddset(&program.signals, SIGTERM);
  sigaddset(&program.signals, SIGINT);
  if (const int code = pthread_sigmask(SIG_BLOCK, &program.signals, nullptr); code != 0)
    return Error{std::string("pthread_sigmask: ") + std::strerror(code)};
  return Done{};
}

void wait_for_end(Program& program) {
  for (;;) {
    const int signal = sigtimedwait(&program.signals, nullptr, &kLookEvery);
    if (signal > 0) {
      log::info("ending", {{"signal", signal}});
      return;
    }
    if (errno == EAGAIN) look_after_certificate(program);
  }
}

void end(Program& program) {
  pthread_sigmask(SIG_UNBLOCK, &program.signals, nullptr);  // a second signal takes its default effect
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
