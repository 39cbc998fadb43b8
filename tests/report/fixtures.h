#pragma once

#include "api/roll_call.h"
#include "base/time_text.h"

/// RollCalls as a desk would have written them, for the forms of the report.
namespace rollcall::report::testing {

inline const WallTime kNow = *rfc3339_from("2026-11-30T12:08:00Z");

/// Three nodes, all passed, released.
api::RollCall healthy(int nodes = 3);
/// Eight nodes; one drops what another sends to it; a minority has another NCCL, one is slow; held.
api::RollCall failing_pair();
/// 64 nodes in two halves that do not reach each other; held.
api::RollCall partition();
/// 1,000 nodes: some slow, three that drop everything; held.
api::RollCall thousand();
/// As failing_pair(), but the job-wide collective failed and pairs were tried.
api::RollCall localised();
/// Waiting for pods: scheduling and pulls.
api::RollCall waiting();
/// Of a version that wrote no report.
api::RollCall older();
/// `text` in every field that takes one.
api::RollCall hostile(const std::string& text);

}  // namespace rollcall::report::testing
