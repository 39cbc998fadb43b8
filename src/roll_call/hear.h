#pragma once

#include "roll_call/roll.h"

/// Takes in what was heard; decides nothing. advance() of rounds.h comes after.
namespace rollcall::roll_call {

void take_answer(Roll& roll, const Answer& answer, TimePoint now);
void take_pod(Roll& roll, const PodView& view, TimePoint now);
void take_override(Roll& roll, const std::string& reason, TimePoint now);
void take_mode(Roll& roll, api::RollCallMode mode, TimePoint now);

}  // namespace rollcall::roll_call
