#pragma once

#include "launch/rules/families.h"

/// Rules about service meshes and what is let through between the pods.
namespace rollcall::launch::rules {

extern const Rule mesh_sidecar;
extern const Rule mesh_ports_not_admitted;
extern const Rule mesh_ranks_cut_off;
extern const Rule mesh_no_dns;

}  // namespace rollcall::launch::rules
