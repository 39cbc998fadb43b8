#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time_text.h"

namespace rollcall::operator_ {

/// A certificate and its key, PEM.
struct KeyPair {
  std::string certificate;
  std::string key;
  bool operator==(const KeyPair&) const = default;
};

/// The authority behind the desk's certificate. Pods carry its certificates literally in their env for as long as they
/// live, so a new one is told before it signs (`next`) and an old one is told after it has signed last (`previous`).
struct Authority {
  KeyPair current;
  std::optional<KeyPair> next;
  std::string previous;  ///< certificate alone; empty = none
  bool operator==(const Authority&) const = default;
};

struct Validity {
  WallTime from;
  WallTime to;
};

/// A new self-signed authority, ECDSA P-256, good for a year from `now`.
Result<KeyPair> make_authority(WallTime now);

/// A server certificate for `name` (DNS), good for 90 days from `now`, never longer than its authority.
Result<KeyPair> issue(const KeyPair& authority, const std::string& name, WallTime now);

/// An Error when the text is no certificate.
Result<Validity> validity_of(const std::string& certificate_pem);

/// Whether `certificate` is for `name` and signed by `authority`.
bool issued_by(const std::string& certificate_pem, const std::string& authority_pem, const std::string& name);

/// The authority as it should stand at `now`: made when absent or unreadable; at 2/3 of its life the next one is made
/// and told; at 5/6 the next one signs, the former stays told until it expires.
Result<Authority> authority_at(const std::optional<Authority>& stored, WallTime now);

/// The desk's pair as it should stand: issued anew when absent, unreadable, of another authority or name, or at 2/3 of
/// its life.
Result<KeyPair> leaf_at(const std::optional<KeyPair>& stored, const Authority& authority, const std::string& name,
                        WallTime now);

/// All certificates that a probe should trust.
std::string bundle_of(const Authority& authority);

}  // namespace rollcall::operator_
