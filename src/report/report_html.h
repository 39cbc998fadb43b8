#pragma once

#include <string>

#include "api/roll_call.h"
#include "base/time_text.h"

namespace rollcall::report {

/// One page that needs nothing beside it: no other file, no network, no script for reading it (a small one copies
/// commands; the page's own policy lets no other run). Light and dark as the reader's system is. Under 2 MB at 1,000
/// nodes. Pure; every text of the RollCall is escaped.
std::string report_html(const api::RollCall& roll_call, WallTime now);

}  // namespace rollcall::report
