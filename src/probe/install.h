#pragma once

#include <string>

#include "base/result.h"

namespace rollcall::probe {

/// Copies the program `self` to DIR/rollcall-probe, mode 0755, all or nothing: a reader finds the former file or the
/// new one.
Status install(const std::string& self, const std::string& directory);

}  // namespace rollcall::probe
