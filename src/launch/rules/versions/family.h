#pragma once

#include "launch/rules/families.h"

/// Rules about what must be equal on all nodes.
namespace rollcall::launch::rules {

extern const Rule versions_images_differ;
extern const Rule versions_floating_tag;
extern const Rule versions_etcd_v2_race;

}  // namespace rollcall::launch::rules
