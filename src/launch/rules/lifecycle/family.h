#pragma once

#include "launch/rules/families.h"

/// Rules about deadlines, retries and the end.
namespace rollcall::launch::rules {}  // namespace rollcall::launch::rules
