#pragma once

#include "launch/kinds/mounted_files.h"
#include "launch/launch.h"

namespace rollcall::launch {

/// Adds to command.flags what the configuration file of `accelerate launch` says and no flag does: the file that
/// `--config_file` names, else `accelerate/default_config.yaml` of HF_HOME or of root's cache. A setting that the file
/// leaves out gets accelerate's default (num_machines 1, machine_rank 0). Nothing is added where the input does not
/// have the file, or it is none that accelerate would read.
void add_config_file(const MountedFiles& files, Command& command);

}  // namespace rollcall::launch
