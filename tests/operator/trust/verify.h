#pragma once

#include <openssl/x509v3.h>

#include <string>

#include "base/time_text.h"

namespace rollcall::operator_::testing_world {

/// Whether a TLS client that trusts `bundle` accepts `chain` for `name` at `now`, as OpenSSL and so the probe has it.
/// Empty = yes, else OpenSSL's words.
std::string why_not_accepted(const std::string& chain, const std::string& bundle, const std::string& name,
                             WallTime now);

}  // namespace rollcall::operator_::testing_world
