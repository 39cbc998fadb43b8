#pragma once

#include <sstream>
#include <string>

namespace rollcall::probe {

/// The parts written one after the other. The probe's own, since the static program links no formatting library.
template <typename... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace rollcall::probe
