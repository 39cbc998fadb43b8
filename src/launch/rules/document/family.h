#pragma once

#include "launch/rules/families.h"

/// Rules about the text itself.
namespace rollcall::launch::rules {

extern const Rule document_duplicate_key;

}  // namespace rollcall::launch::rules
