#pragma once

#include <csignal>
#include <ctime>

#include "base/result.h"

/// SIGTERM and SIGINT as every program takes them: blocked in all threads, fetched by main.
namespace rollcall::telemetry {

/// Blocks both and puts them into `signals`. Before the first thread, so that all inherit it.
Status block_end_signals(sigset_t& signals);

/// Waits at most `seconds` for one of them; 0 = none came.
int next_end_signal(const sigset_t& signals, std::time_t seconds);

/// From here on a further signal takes its default effect: it ends the process at once.
void unblock_end_signals(const sigset_t& signals);

}  // namespace rollcall::telemetry
