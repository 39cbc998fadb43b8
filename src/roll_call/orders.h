#pragma once

#include "roll_call/roll.h"

namespace rollcall::roll_call {

/// What `pod` is to do now.
Instruction order_for(const Roll& roll, const Pod& pod);

/// The nonce of a round: connectors show it to listeners, so that a mesh meets only its own job and round.
std::string nonce_of(const Roll& roll);

}  // namespace rollcall::roll_call
