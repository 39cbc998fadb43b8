#pragma once

#include "launch/rules/families.h"

/// Rules about what a job asks to be passed over.
namespace rollcall::launch::rules {

extern const Rule suppression_without_reason;
extern const Rule suppression_of_no_rule;
extern const Rule suppression_of_nothing;

}  // namespace rollcall::launch::rules
