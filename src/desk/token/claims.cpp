#include "desk/token/claims.h"

#include <nlohmann/json.hpp>

#include "desk/token/base64url.h"

namespace rollcall::desk {
namespace {

using Json = nlohmann::json;

Result<Json> json_part(std::string_view part, const char* name) {
  const auto bytes = from_base64url(part);
  if (!bytes) return Error{std::string("the token's ") + name + " is not base64url"};
  auto json = Json::parse(*bytes, nullptr, false);
  if (!json.is_object()) return Error{std::string("the token's ") + name + " is not a JSON object"};
  return json;
}

std::string text_at(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// A JSON number may be written 1.7e9; beyond what a clock can say it is no time.
std::int64_t time_at(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number()) return 0;
  const double value = it->get<double>();
  return value > 0 && value < 1e12 ? static_cast<std::int64_t>(value) : 0;
}

}  // namespace

Result<Claims> claims_of(std::string_view token) {
  if (token.size() > kMaxTokenBytes)
    return Error{"the token has " + std::to_string(token.size()) + " bytes, more than " +
                 std::to_string(kMaxTokenBytes)};
  const auto first = token.find('.');
  const auto second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos)
    return Error{"the token is not three parts joined by dots"};

  const auto header = json_part(token.substr(0, first), "header");
  if (!header) return header.error();
  const auto payload = json_part(token.substr(first + 1, second - first - 1), "payload");
  if (!payload) return payload.error();
  auto signature = from_base64url(token.substr(second + 1));
  if (!signature) return Error{"the token's signature is not base64url"};

  Claims claims;
  claims.algorithm = text_at(*header, "alg");
  claims.key_id = text_at(*header, "kid");
  if (const auto aud = payload->find("aud"); aud != payload->end()) {
    if (aud->is_string()) claims.audiences.push_back(aud->get<std::string>());
    if (aud->is_array())
      for (const auto& one : *aud)
        if (one.is_string()) claims.audiences.push_back(one.get<std::string>());
  }
  claims.expires = time_at(*payload, "exp");
  if (const auto bound = payload->find("kubernetes.io"); bound != payload->end() && bound->is_object()) {
    claims.namespace_name = text_at(*bound, "namespace");
    if (const auto pod = bound->find("pod"); pod != bound->end() && pod->is_object()) {
      claims.pod_uid = text_at(*pod, "uid");
      claims.pod_name = text_at(*pod, "name");
    }
  }
  claims.signed_part = std::string(token.substr(0, second));
  claims.signature = std::move(*signature);
  return claims;
}

Result<std::string> bearer_token(std::string_view authorization) {
  // The scheme's letters in any case (RFC 9110, 11.1).
  constexpr std::string_view kScheme = "bearer ";
  bool matches = authorization.size() > kScheme.size();
  for (std::size_t i = 0; matches && i < kScheme.size(); ++i) {
    const char c = authorization[i];
    matches = (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == kScheme[i];
  }
  if (!matches)
    return Error{"no `Authorization: Bearer TOKEN` header: send the pod's projected token, audience rollcall"};
  return std::string(authorization.substr(kScheme.size()));
}

}  // namespace rollcall::desk
