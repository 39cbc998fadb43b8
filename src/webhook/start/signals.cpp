#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "webhook/start/program.h"

namespace rollcall::webhook {
namespace {

/// How often the certificate's files are looked at: they are replaced weeks before they expire.
constexpr std::time_t kLookEvery = 10;
/// From SIGTERM to the end, all together: controller-runtime's figure for webhook servers.
constexpr int kLongestEnd = 60;
/// For requests under way once none is taken any more: the API server's patience with this webhook is 5 s by the chart,
/// 30 s at most.
constexpr int kGrace = 10;

void look_after(Program& program, serve::CertificateWatch& watch, const std::string& file) {
  switch (watch.look()) {
    case serve::CertificateWatch::Look::Same:
      return;
    case serve::CertificateWatch::Look::Reloaded:
      program.standard.certificate_read(true);
      log::info("certificate read anew", {{"file", file}});
      return;
    case serve::CertificateWatch::Look::Failed:
      program.standard.certificate_read(false);
      log::error("certificate not usable; the old one is served", {{"file", file}, {"error", watch.error()}});
      return;
  }
}

void look_after_certificates(Program& program) {
  look_after(program, *program.certificate, program.flags.certificate());
  if (program.client_ca) look_after(program, *program.client_ca, program.flags.client_ca_file);
}

/// Signals arrive here and nowhere else. 0 = none within `seconds`.
int next_signal(const Program& program, std::time_t seconds) {
  const timespec patience{seconds, 0};
  const int signal = sigtimedwait(&program.signals, nullptr, &patience);
  return signal > 0 ? signal : 0;
}

}  // namespace

Status block_signals(sigset_t& signals) {
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  if (const int code = pthread_sigmask(SIG_BLOCK, &signals, nullptr); code != 0)
    return Error{std::string("pthread_sigmask: ") + std::strerror(code)};
  return Done{};
}

void wait_for_end(Program& program) {
  for (;;) {
    if (const int signal = next_signal(program, kLookEvery); signal > 0) {
      log::info("ending", {{"signal", signal}});
      return;
    }
    if (errno == EAGAIN) look_after_certificates(program);
  }
}

void end(Program& program) {
  program.ending = true;
  // Endpoints follow readiness with a delay; until the API server's proxies have heard, requests still come here.
  const int delay = std::clamp(program.flags.shutdown_delay, 0, kLongestEnd - kGrace);
  const bool impatient = delay > 0 && next_signal(program, delay) > 0;
  pthread_sigmask(SIG_UNBLOCK, &program.signals, nullptr);  // a further signal takes its default effect
  if (impatient) log::info("ending at once: a second signal came");
  program.waiting.close();
  program.server->stop(impatient ? std::chrono::seconds(0) : std::chrono::seconds(kGrace));
  program.policy_watch->stop();
  program.namespace_watch->stop();
  program.metrics_server->stop(std::chrono::milliseconds(0));
  program.health->stop(std::chrono::milliseconds(0));
  log::info("ended");
}

}  // namespace rollcall::webhook
