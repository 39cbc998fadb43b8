#pragma once

#include <vector>

#include "launch/document/field.h"
#include "launch/launch.h"

namespace rollcall::launch {

/// The lines of an object's annotation `rollcall.dev/ignore`. Works for every kind.
std::vector<Ignored> read_ignored(const Field& object);

}  // namespace rollcall::launch
