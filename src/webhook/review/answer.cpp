#include "webhook/review/answer.h"

#include <nlohmann/json.hpp>

namespace rollcall::webhook {

std::string answer_body(const std::string& uid, const Answer& answer) {
  using nlohmann::json;
  json response{{"uid", uid}, {"allowed", answer.allowed}};
  if (!answer.allowed) {
    // 422 Invalid would be printed by kubectl without the file's name; 403 Forbidden is what admission controllers
    // refuse with.
    response["status"] = {{"code", 403}, {"reason", "Forbidden"}, {"message", answer.message}};
  }
  if (!answer.warnings.empty()) response["warnings"] = answer.warnings;
  if (!answer.audit.empty()) response["auditAnnotations"] = answer.audit;
  const json review{
      {"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"response", std::move(response)}};
  return review.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string status_body(int code, const std::string& message) {
  const nlohmann::json status{{"apiVersion", "v1"},  {"kind", "Status"},   {"metadata", nlohmann::json::object()},
                              {"status", "Failure"}, {"message", message}, {"code", code}};
  return status.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace rollcall::webhook
