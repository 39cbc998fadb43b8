#pragma once

#include <nlohmann/json.hpp>

#include "api/roll_call.h"
#include "base/time_text.h"

namespace rollcall::report {

/// The report for programs: a form of its own, described in docs/report.md, that stays as it is when the RollCall's
/// status changes its own. Fields are added, never renamed; `formatVersion` counts what could not be added.
nlohmann::json report_json(const api::RollCall& roll_call, WallTime now);

}  // namespace rollcall::report
