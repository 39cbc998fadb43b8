#pragma once

#include "launch/rules/families.h"

/// Rules about service meshes and what is let through between the pods.
namespace rollcall::launch::rules {

extern const Rule mesh_sidecar;

}  // namespace rollcall::launch::rules
