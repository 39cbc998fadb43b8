#pragma once

#include "launch/rules/families.h"

/// Rules about what must be equal on all nodes.
namespace rollcall::launch::rules {

extern const Rule versions_images_differ;

}  // namespace rollcall::launch::rules
