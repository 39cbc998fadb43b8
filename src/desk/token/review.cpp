#include "desk/token/review.h"

#include "api/names.h"

namespace rollcall::desk {
namespace {

using Json = nlohmann::json;

const Json& at(const Json& object, const char* key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto it = object.find(key);
  return it == object.end() ? kNothing : *it;
}

std::string text(const Json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

}  // namespace

Json review_request(std::string_view token) {
  return {{"apiVersion", "authentication.k8s.io/v1"},
          {"kind", "TokenReview"},
          {"spec", {{"token", std::string(token)}, {"audiences", Json::array({api::names::kTokenAudience})}}}};
}

Result<Review> review_from(const Json& reply) {
  const Json& status = at(reply, "status");
  if (!status.is_object()) return Error{"the API server's reply to a TokenReview has no status"};
  Review review;
  review.authenticated = at(status, "authenticated") == true;
  review.error = text(at(status, "error"));
  for (const auto& audience : at(status, "audiences")) review.audiences.push_back(text(audience));
  const Json& user = at(status, "user");
  review.username = text(at(user, "username"));
  const Json& uids = at(at(user, "extra"), "authentication.kubernetes.io/pod-uid");
  if (uids.is_array() && uids.size() == 1) review.pod_uid = text(uids[0]);
  return review;
}

}  // namespace rollcall::desk
