#pragma once

#include <string>

#include "base/result.h"

namespace rollcall::probe {

/// Copies the file `source` to DIR/NAME, mode 0755, all or nothing: a reader finds the former file or the new one.
Status install(const std::string& source, const std::string& directory, const std::string& name);

/// Copies this program, `self`, to DIR/rollcall-probe, and with it what the probe image has next to it: the child
/// program and a bundled libnccl, each when it is there. Probe images without one are sound; the steps that need it say
/// so.
Status install_all(const std::string& self, const std::string& directory);

}  // namespace rollcall::probe
