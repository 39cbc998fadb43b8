#pragma once

#include "roll_call/node_stages.h"
#include "roll_call/roll.h"

namespace rollcall::roll_call {

/// What `rollcall report` shows of the roll: exceptions and summaries, so that with the rest of the status it stays
/// under 512 KiB at 1,000 nodes, whatever the probes say. Without Advice, which is made where the verdict's words are.
/// One pass over the pods a part: at 1,000 nodes a few milliseconds. Costs nothing until the status is asked for.
api::Report report_of(const Roll& roll, const NodeStages& stages);

}  // namespace rollcall::roll_call
