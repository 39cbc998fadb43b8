#pragma once

#include <string>

#include "desk/token/judge.h"
#include "roll_call/messages.h"

namespace rollcall::desk {

/// "Ask again": `place` may be empty.
inline roll_call::Instruction ask_again(const Known& known, std::string message, int milliseconds) {
  roll_call::Instruction instruction;
  if (known.place) {
    instruction.attempt = known.place->attempt;
    instruction.node_rank = known.place->node_rank;
    instruction.nnodes = known.place->nnodes;
  }
  instruction.step = roll_call::Step::Wait;
  instruction.ask_again_ms = milliseconds;
  instruction.message = std::move(message);
  return instruction;
}

/// The end of a pod's attempt, told by the desk where no state machine stands for it any more.
inline roll_call::Instruction end_of(const Known& known, std::string message) {
  auto instruction = ask_again(known, std::move(message), 0);
  instruction.step = roll_call::Step::End;
  return instruction;
}

}  // namespace rollcall::desk
