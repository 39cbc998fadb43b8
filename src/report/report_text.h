#pragma once

#include <string>

#include "report/status_text.h"

namespace rollcall::report {

/// The whole report for a terminal: what status_text() shows, and advice, what differs, pairs that are not as the
/// others, bandwidth, timeline. Ends with a newline. A RollCall without a report says so and shows what it has.
std::string report_text(const api::RollCall& roll_call, WallTime now, const TextOptions& options = {});

}  // namespace rollcall::report
