#pragma once

#include <map>
#include <string>
#include <vector>

namespace rollcall::webhook {

/// What the API server is told of one review.
struct Answer {
  bool allowed = true;
  std::string message;  ///< of a refusal; the API server puts "admission webhook … denied the request: " before it
  std::vector<std::string> warnings;
  /// By key without prefix: the API server puts the webhook's name and a slash before it, and drops a key that then is
  /// no qualified name.
  std::map<std::string, std::string> audit;
};

/// The AdmissionReview that answers the review of this uid.
std::string answer_body(const std::string& uid, const Answer& answer);

/// The body of an HTTP error: a Status of meta/v1. Of other bodies the API server hands on those of code 500 alone; for
/// the rest a person reads that the server rejected the request "for an unknown reason".
std::string status_body(int code, const std::string& message);

}  // namespace rollcall::webhook
