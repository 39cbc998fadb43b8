#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time_text.h"

/// What a certificate says, and how one is made: ECDSA P-256, PEM. No state, no clock.
namespace rollcall::operator_ {

/// A certificate (followed by those that lead to an older authority, if any) and its key, PEM.
struct KeyPair {
  std::string certificate;
  std::string key;
  bool operator==(const KeyPair&) const = default;
};

struct Validity {
  WallTime from;
  WallTime to;
};

/// Clocks of nodes differ; a certificate that is a day old already is accepted by all of them.
constexpr std::chrono::hours kBackdated{24};

/// A new self-signed authority, valid from a day before `now` until `life` after it.
Result<KeyPair> make_authority(WallTime now, std::chrono::hours life);

/// A server certificate for `names` (DNS; the first is also the common name), never longer than its authority.
Result<KeyPair> issue(const KeyPair& authority, const std::vector<std::string>& names, WallTime now,
                      std::chrono::hours life);

/// `authority` once more, signed by `older` instead of by itself: who trusts only the older one follows it to what the
/// new one signed, until the older one expires.
Result<std::string> bridge_from(const KeyPair& older, const std::string& authority_pem);

/// Of the first certificate in the text; an Error when there is none.
Result<Validity> validity_of(const std::string& certificate_pem);

/// Whether the first certificate in the text is for each of `names` and signed by `authority`.
bool issued_by(const std::string& certificate_pem, const std::string& authority_pem,
               const std::vector<std::string>& names);

/// Whether certificate and key belong together.
bool fits(const KeyPair& pair);

/// The first certificate of a chain, as it stands in the text.
std::string first_of(const std::string& chain_pem);

}  // namespace rollcall::operator_
