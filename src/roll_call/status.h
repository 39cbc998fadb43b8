#pragma once

#include "roll_call/roll.h"

namespace rollcall::roll_call {

/// The RollCall's status as of now: summaries and exceptions, under 512 KiB at 1,000 nodes.
api::RollCallStatus status_of(const Roll& roll, TimePoint now);

}  // namespace rollcall::roll_call
