#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace rollcall::desk {

/// Longest bearer token we look at. A projected service-account token is about 1.2 KiB; long names and many audiences
/// could double it.
inline constexpr std::size_t kMaxTokenBytes = 8 * 1024;

/// What a token says of itself: nothing here is trusted until its signature and a TokenReview stand behind it.
struct Claims {
  std::string algorithm;  ///< header `alg`
  std::string key_id;     ///< header `kid`; may be empty
  std::vector<std::string> audiences;
  std::int64_t expires = 0;  ///< seconds since 1970
  std::string pod_uid;       ///< `kubernetes.io`.pod.uid; empty = not bound to a pod
  std::string pod_name;
  std::string namespace_name;
  std::string signed_part;  ///< `header.payload` as sent
  std::string signature;    ///< raw bytes
};

/// Reads a compact JWT without believing it. An Error says what is malformed, and never contains the token.
Result<Claims> claims_of(std::string_view token);

/// `Bearer TOKEN` → TOKEN; an Error says what the header should be.
Result<std::string> bearer_token(std::string_view authorization);

}  // namespace rollcall::desk
