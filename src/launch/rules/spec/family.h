#pragma once

#include "launch/rules/families.h"

/// Rules about the fields of a kind.
namespace rollcall::launch::rules {

extern const Rule spec_missing_field;
extern const Rule spec_wrong_type;
extern const Rule spec_out_of_range;
extern const Rule spec_clash;
extern const Rule spec_no_such_container;
extern const Rule spec_trainer_not_decided;
extern const Rule spec_misspelt_field;
extern const Rule spec_misspelt_kind;

}  // namespace rollcall::launch::rules
