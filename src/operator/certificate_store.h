#pragma once

#include <string>

#include "kube/client.h"
#include "operator/certificates.h"

namespace rollcall::operator_ {

/// Brings the two Secrets of the desk (names.h) to what certificates.h says they should be at `now`, and returns the
/// bundle that probes are given. The authority is stored before anything it signed, the bundle before a leaf of a new
/// authority. A write that another made first is read again; safe to repeat at any moment.
Result<std::string> keep_certificates(kube::Client& client, const std::string& ns, const std::string& name,
                                      WallTime now);

}  // namespace rollcall::operator_
