#include "kube/api_error.h"

#include <nlohmann/json.hpp>

namespace rollcall::kube {

namespace {

using Json = nlohmann::json;

/// Of a body that is no Status: enough to recognise a proxy's error page.
constexpr std::size_t kExcerpt = 300;

std::string reason_of(int http) {
  switch (http) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 409:
      return "Conflict";
    case 410:
      return "Expired";
    case 413:
      return "RequestEntityTooLarge";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 500:
      return "InternalError";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return http >= 300 && http < 400 ? "Redirect" : "Unknown";
  }
}

std::string string_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

}  // namespace

std::string ApiError::text() const {
  std::string out = http == 0 ? std::string{} : std::to_string(http) + ' ';
  out += reason.empty() ? "Unknown" : reason;
  if (!message.empty()) out += ": " + message;
  return out;
}

ApiError api_error_from(int http, const std::string& body, int retry_after_seconds, const std::string& location) {
  ApiError out{http, reason_of(http), {}, retry_after_seconds};
  if (http >= 300 && http < 400) {
    out.message = "the server redirects to `" + location +
                  "`; redirects are not followed, because the token would go there too. Write the API server's own "
                  "address.";
    return out;
  }
  const Json status = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!status.is_object() || string_in(status, "kind") != "Status") {
    out.message = body.empty() ? "no explanation came with it" : body.substr(0, kExcerpt);
    return out;
  }
  // An ERROR event of a watch carries its code in the Status alone.
  if (const auto code = status.find("code"); code != status.end() && code->is_number_integer() && http == 200) {
    out.http = code->get<int>();
    out.reason = reason_of(out.http);
  }
  if (const std::string reason = string_in(status, "reason"); !reason.empty()) out.reason = reason;
  out.message = string_in(status, "message");
  if (const auto details = status.find("details"); details != status.end() && details->is_object()) {
    const auto seconds = details->find("retryAfterSeconds");
    if (out.retry_after_seconds == 0 && seconds != details->end() && seconds->is_number_integer()) {
      out.retry_after_seconds = static_cast<int>(std::clamp<std::int64_t>(seconds->get<std::int64_t>(), 0, 3600));
    }
  }
  return out;
}

ApiError api_error_from(const Error& error) {
  return {0, error.code.empty() ? "Unreachable" : error.code, error.message, 0};
}

}  // namespace rollcall::kube
