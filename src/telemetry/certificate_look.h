#pragma once

#include <ctime>
#include <string>

#include "serve/certificate_watch.h"

namespace rollcall::telemetry {

/// How often a program looks at its certificate's files, in seconds: they are replaced weeks before they expire.
inline constexpr std::time_t kCertificateLook = 10;

/// One look, and a log line when something changed. `file` names it there.
void look_after(serve::CertificateWatch& watch, const std::string& file);

}  // namespace rollcall::telemetry
