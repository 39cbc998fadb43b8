#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "operator/trust/certificates.h"

namespace rollcall::operator_ {

/// How long certificates are good. With the defaults a probe's bundle is good for at least four months after its pod
/// was made (see Authority), and a pod that has a node waits 14 days at most (waitForPodsSeconds and holdSeconds, a
/// week each); one that waits for a node longer than its bundle is good ends its attempt unheard, which spends nothing,
/// and the next attempt's pods have the new bundle.
struct Lifetimes {
  std::chrono::hours authority{24 * 365};
  std::chrono::hours leaf{24 * 90};
  std::chrono::hours renew_before{24 * 30};  ///< of leaves; below `leaf`

  /// An authority that signs is followed by the next one in three steps, counted from its end.
  std::chrono::hours told_before() const { return authority / 3; }   ///< the next one is made, and told
  std::chrono::hours signs_before() const { return authority / 6; }  ///< the next one signs
  /// From the making of the next one to its first signature at least: API servers, desks and webhooks have read the
  /// bundle by then, even when the operator was away and everything is late.
  static constexpr std::chrono::hours kTold{1};
};

/// The authority behind the certificates of desk and webhook. Pods carry its certificates literally in their env for as
/// long as they live, so a new one is told before it signs (`next`), and an old one is told until it expires
/// (`previous`). A pod made before the new one was told follows the bridge, which the desk sends along: the new one,
/// signed by the old. So whatever bundle a probe was given holds until its oldest authority expires.
struct Authority {
  KeyPair current;
  std::optional<KeyPair> next;
  std::string previous;  ///< certificate alone; empty = none
  std::string bridge;    ///< current, signed by previous; empty = none
  bool operator==(const Authority&) const = default;
};

/// The authority as it should stand at `now`: made when absent, unreadable, expired, or not valid yet (a clock that was
/// ahead when it was made); followed as Lifetimes says. Expired with a next one that is good: that one signs at once.
Result<Authority> authority_at(const std::optional<Authority>& stored, const Lifetimes& lifetimes, WallTime now);

/// A server's pair as it should stand: issued anew when absent, unreadable, not valid yet, of another authority or
/// names, or within renew_before of its end. Its certificate is followed by the bridge where there is one.
Result<KeyPair> leaf_at(const std::optional<KeyPair>& stored, const Authority& authority,
                        const std::vector<std::string>& names, const Lifetimes& lifetimes, WallTime now);

/// All certificates that a client should trust.
std::string bundle_of(const Authority& authority);

}  // namespace rollcall::operator_
