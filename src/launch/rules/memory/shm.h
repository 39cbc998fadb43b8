#pragma once

#include "launch/launch.h"

namespace rollcall::launch::rules {

/// The volume that a role's trainer has at /dev/shm; absent when it has none there.
Field shm_volume(const Role& role);

/// Whether something is mounted at /dev/shm, or the pod has the node's.
bool has_shm(const Role& role);

/// Whether the volume's content is memory that counts against the container's limit.
bool is_memory(const Field& volume);

}  // namespace rollcall::launch::rules
