#pragma once

#include "launch/launch.h"

/// What rules say of pods that become ready only together.
namespace rollcall::launch::rules {

/// Whether nothing can answer `probe` of the trainer container before all nodes have met: torchrun starts the program
/// only then, and what listens before is the store on the rendezvous port alone. False where anything else may answer:
/// an exec probe, another container, a program left in the background.
bool answers_after_the_world(const Role& role, const Field& probe);

}  // namespace rollcall::launch::rules
