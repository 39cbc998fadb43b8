#include <cstring>

#include "operator/start/program.h"
#include "telemetry/log.h"
#include "telemetry/signals.h"

namespace rollcall::operator_ {
namespace {

/// From SIGTERM on, for the looks under way: a job of a thousand pods needs some seconds. A pod has 30 s to its end,
/// and the lease is to be given back within them.
constexpr auto kLastWrites = std::chrono::seconds(15);
constexpr auto kLastReplies = std::chrono::milliseconds(500);

}  // namespace

Status block_signals(Program& program) {
  if (auto blocked = telemetry::block_end_signals(program.signals); !blocked) return blocked.error();
  std::signal(SIGPIPE, SIG_IGN);
  return Done{};
}

Status wait_for_signal(Program& program) {
  int signal = 0;
  if (const int code = sigwait(&program.signals, &signal); code != 0)
    return Error{std::string("sigwait: ") + std::strerror(code)};
  log::info("ending", {{"signal", signal}});
  // A second signal ends the program at once.
  telemetry::unblock_end_signals(program.signals);
  return Done{};
}

Status end(Program& program) {
  program.ready = false;
  program.last_write = std::chrono::steady_clock::now() + kLastWrites;
  {
    const std::lock_guard lock(program.duty);
    program.ending = true;
  }
  if (program.metrics_server) program.metrics_server->stop(kLastReplies);  // it looks at what ends now
  program.upkeep.reset();
  program.controller->stop();
  if (program.elector) program.elector->stop();
  program.health->stop(kLastReplies);
  log::info("ended");
  return Done{};
}

}  // namespace rollcall::operator_
