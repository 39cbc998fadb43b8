#pragma once

#include "launch/rules/families.h"

/// Rules about names that Rollcall hands over.
namespace rollcall::launch::rules {

extern const Rule env_handed_over_name;

}  // namespace rollcall::launch::rules
