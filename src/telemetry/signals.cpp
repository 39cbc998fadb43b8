#include "telemetry/signals.h"

#include <pthread.h>

#include <cstring>
#include <string>

namespace rollcall::telemetry {

Status block_end_signals(sigset_t& signals) {
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  if (const int code = pthread_sigmask(SIG_BLOCK, &signals, nullptr); code != 0)
    return Error{std::string("pthread_sigmask: ") + std::strerror(code)};
  return Done{};
}

int next_end_signal(const sigset_t& signals, std::time_t seconds) {
  const timespec patience{seconds, 0};
  const int signal = sigtimedwait(&signals, nullptr, &patience);
  return signal > 0 ? signal : 0;
}

void unblock_end_signals(const sigset_t& signals) { pthread_sigmask(SIG_UNBLOCK, &signals, nullptr); }

}  // namespace rollcall::telemetry
