#pragma once

#include <string>

#include "base/result.h"

namespace rollcall::kube {

/// A refusal by the API server, or a failure to ask it (http 0).
struct ApiError {
  int http = 0;
  std::string reason;  ///< metav1.Status reason: NotFound, AlreadyExists, Conflict, Forbidden, Invalid, Expired …
  std::string message;
  int retry_after_seconds = 0;

  bool not_found() const { return http == 404; }
  bool conflict() const { return http == 409 && reason != "AlreadyExists"; }
  bool already_exists() const { return http == 409 && reason == "AlreadyExists"; }
  bool gone() const { return http == 410; }
  /// Worth asking again: no answer, 429, 5xx.
  bool transient() const { return http == 0 || http == 429 || http >= 500; }
  /// One line for a log or a condition: `404 NotFound: pods "a" not found`.
  std::string text() const;
};

/// The refusal in a reply: its body when that is a metav1.Status, else the status code and the first 300 bytes.
ApiError api_error_from(int http, const std::string& body, int retry_after_seconds, const std::string& location);

/// What failed below HTTP; Error::code becomes the reason.
ApiError api_error_from(const Error& error);

}  // namespace rollcall::kube
