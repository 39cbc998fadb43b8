#include "telemetry/certificate_look.h"

#include "telemetry/log.h"

namespace rollcall::telemetry {

void look_after(serve::CertificateWatch& watch, const std::string& file) {
  switch (watch.look()) {
    case serve::CertificateWatch::Look::Same:
      return;
    case serve::CertificateWatch::Look::Reloaded:
      log::info("certificate read anew", {{"file", file}});
      return;
    case serve::CertificateWatch::Look::Failed:
      log::error("certificate not usable; the old one is served", {{"file", file}, {"error", watch.error()}});
      return;
  }
}

}  // namespace rollcall::telemetry
