#pragma once

#include "probe/log.h"
#include "probe/net/wake.h"
#include "probe/settings.h"

namespace rollcall::probe {

/// Answers the roll call until its end and returns the exit status: 0 released (the trainer may start), 1 ended or
/// given up (the reason is in the termination log), 143 or 130 told to stop by a signal. Every port is closed when it
/// returns. `news` is notified after `terminated_by` is set to a signal's number.
int answer_roll_call(const Settings& settings, Log& log, const Wake& news, const volatile int& terminated_by);

}  // namespace rollcall::probe
