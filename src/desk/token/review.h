#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace rollcall::desk {

/// What the API server says of a token (authentication.k8s.io/v1 TokenReview), as far as we read it.
struct Review {
  bool authenticated = false;
  std::vector<std::string> audiences;
  std::string username;
  std::string pod_uid;  ///< status.user.extra["authentication.kubernetes.io/pod-uid"]
  std::string error;    ///< the API server's words when it refused
};

/// The object to create; audience `rollcall`.
nlohmann::json review_request(std::string_view token);
/// An Error when the reply is no TokenReview.
Result<Review> review_from(const nlohmann::json& reply);

}  // namespace rollcall::desk
