#pragma once

#include "launch/rules/families.h"

/// Rules about which program starts the processes.
namespace rollcall::launch::rules {

extern const Rule launcher_deepspeed_in_every_pod;
extern const Rule launcher_deepspeed_slots_not_there;
extern const Rule launcher_broken_host_file;
extern const Rule launcher_srun_starts_launchers;
extern const Rule launcher_horovodrun_on_one_pod;
extern const Rule launcher_accelerate_over_ssh;
extern const Rule launcher_no_shell_to_expand;

}  // namespace rollcall::launch::rules
