#include "operator/trust/authority.h"

#include <algorithm>

namespace rollcall::operator_ {
namespace {

bool valid(const std::string& pem, WallTime now) {
  const auto validity = validity_of(pem);
  return validity && validity->from <= now && now < validity->to;
}

bool usable(const std::optional<KeyPair>& pair, WallTime now) {
  return pair && fits(*pair) && valid(pair->certificate, now);
}

/// Now the next one signs. Without the former one's key there is no bridge; pods that know both need none.
Status promote(Authority& authority, WallTime now) {
  authority.bridge.clear();
  if (usable(authority.current, now)) {
    auto bridge = bridge_from(authority.current, authority.next->certificate);
    if (!bridge) return bridge.error();
    authority.bridge = std::move(*bridge);
  }
  authority.previous = authority.current.certificate;
  authority.current = std::move(*authority.next);
  authority.next.reset();
  return Done{};
}

Result<Authority> fresh(const Lifetimes& lifetimes, WallTime now) {
  // Nothing to carry over: what the former one signed is not accepted any more.
  auto made = make_authority(now, lifetimes.authority);
  if (!made) return made.error();
  return Authority{std::move(*made), std::nullopt, "", ""};
}

}  // namespace

Result<Authority> authority_at(const std::optional<Authority>& stored, const Lifetimes& lifetimes, WallTime now) {
  if (!stored) return fresh(lifetimes, now);
  Authority authority = *stored;
  if (authority.next && !usable(authority.next, now)) authority.next.reset();
  if (!usable(authority.current, now)) {
    if (!authority.next) return fresh(lifetimes, now);
    if (const auto promoted = promote(authority, now); !promoted) return promoted.error();
  }
  const auto end = validity_of(authority.current.certificate)->to;
  if (!authority.next && now >= end - lifetimes.told_before()) {
    auto made = make_authority(now, lifetimes.authority);
    if (!made) return made.error();
    authority.next = std::move(*made);
  }
  if (authority.next && now >= end - lifetimes.signs_before()) {
    const auto told_since = validity_of(authority.next->certificate)->from + kBackdated;
    if (now >= told_since + Lifetimes::kTold) {
      if (const auto promoted = promote(authority, now); !promoted) return promoted.error();
    }
  }
  if (!valid(authority.previous, now)) {
    authority.previous.clear();
    authority.bridge.clear();
  }
  return authority;
}

Result<KeyPair> leaf_at(const std::optional<KeyPair>& stored, const Authority& authority,
                        const std::vector<std::string>& names, const Lifetimes& lifetimes, WallTime now) {
  if (usable(stored, now) && issued_by(stored->certificate, authority.current.certificate, names)) {
    const auto end = validity_of(stored->certificate)->to;
    // Cut short by its authority's end it may never have renew_before left: then only a new authority helps.
    const auto longest = std::min(now + lifetimes.leaf, validity_of(authority.current.certificate)->to);
    if (now < end - lifetimes.renew_before || end >= longest)
      return KeyPair{first_of(stored->certificate) + authority.bridge, stored->key};
  }
  auto leaf = issue(authority.current, names, now, lifetimes.leaf);
  if (leaf) leaf->certificate += authority.bridge;
  return leaf;
}

std::string bundle_of(const Authority& authority) {
  return authority.current.certificate + (authority.next ? authority.next->certificate : "") + authority.previous;
}

}  // namespace rollcall::operator_
