#pragma once

#include "base/time_text.h"
#include "operator/decision.h"

namespace rollcall::operator_ {

/// What a job needs now. Pure and level-triggered: it reads the state that is there, not what happened, so that an
/// operator that was killed between any two acts goes on where it stands.
///
/// The state machine stands on three stored things: TrainingJob.status.attempt (moved by one compare-and-swap), the
/// attempt's RollCall with its one verdict, and the pods.
Decision reconcile(const Observed& observed, WallTime now);

}  // namespace rollcall::operator_
