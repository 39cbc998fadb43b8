#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "desk/token/claims.h"

struct evp_pkey_st;

namespace rollcall::desk {

/// Whether the cluster signed a token.
enum class Signature {
  NotChecked,  ///< no keys at hand; the TokenReview decides alone
  Good,
  Bad,         ///< wrong, or an algorithm the cluster's key is not for
  UnknownKey,  ///< `kid` is in no key set we have read
};

/// The cluster's public keys, as `GET /openid/v1/jwks` gives them. Immutable; any thread may verify.
class KeySet {
 public:
  /// Keys of kinds a cluster does not sign with are passed over; an Error when the document is no JWKS or holds no
  /// usable key.
  static Result<KeySet> from_jwks(std::string_view json);

  /// RS256, ES256, ES384 and ES512, the algorithms an API server signs service-account tokens with. Never NotChecked.
  Signature verify(const Claims& claims) const;
  std::size_t size() const { return keys_.size(); }

 private:
  struct Key {
    std::string algorithm;
    std::shared_ptr<evp_pkey_st> pkey;
  };
  std::map<std::string, Key> keys_;  // by kid
};

}  // namespace rollcall::desk
