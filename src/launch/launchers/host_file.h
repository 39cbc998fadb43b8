#pragma once

#include <string>
#include <string_view>

#include "launch/kinds/mounted_files.h"
#include "launch/launch.h"

namespace rollcall::launch {

/// Lines of a host file that are kept: a cluster has fewer nodes, and each is a string to hold.
inline constexpr std::size_t kMostHosts = 10'000;

enum class HostForm {
  any,         ///< Open MPI's `NAME slots=N` or `NAME`, Hydra's `NAME:N`
  slots_only,  ///< deepspeed's: `NAME slots=N` and nothing else
};

/// One node a line; comments begin with `#`. A line that is not of the form is the `broken` one, behind which nothing
/// is read.
HostFile host_file_of(std::string_view text, HostForm form);

/// Reads into command.host_file what `--hostfile` names, else the launcher's own `otherwise` (empty = it has none). Not
/// known where the input does not have the file.
void read_host_file(const MountedFiles& files, const std::string& otherwise, HostForm form, Command& command);

}  // namespace rollcall::launch
