#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launch/document/field.h"
#include "launch/fact.h"
#include "launch/launch.h"

namespace rollcall::launch {

/// Which container trains: the one that spec.trainerContainer names; else the one named `trainer`; else the only one
/// that asks for accelerators; else the only one. Unknown when none of these decides; then `problems` says so.
Fact<std::size_t> trainer_of(const Field& spec, std::vector<ShapeProblem>& problems);

}  // namespace rollcall::launch
