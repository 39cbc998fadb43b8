#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/serve/client.h"
#include "tests/webhook/reviews.h"
#include "webhook/handler.h"

/// The handler with everything behind it but a cluster.
namespace rollcall::webhook::test {

/// The bytes of a POST.
inline std::string post(const std::string& body, const std::string& target = "/validate?timeout=5s",
                        const std::string& type = "application/json") {
  return "POST " + target + " HTTP/1.1\r\nHost: rollcall-webhook.rollcall-system.svc\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Harness {
  explicit Harness(Handler::Options options = {}) : handler(policies, waiting, metrics, std::move(options)) {
    policies.open();
    policies.on_namespace([this](const std::string& name) { waiting.came(name); });
  }

  serve::Request request(const std::string& body) const {
    return {"POST", "/validate?timeout=5s", "", "application/json", body, "127.0.0.1"};
  }
  /// What is answered within the call; nothing = the reply is held.
  std::vector<serve::Response> handle(serve::Request asked) {
    std::vector<serve::Response> replies;
    handler.handle(std::move(asked), [&replies](serve::Response response) { replies.push_back(std::move(response)); });
    return replies;
  }
  serve::Response answer(serve::Request asked) {
    auto replies = handle(std::move(asked));
    return replies.size() == 1 ? replies[0] : serve::Response{0, "", "", {}};
  }
  serve::Response answer(const json& review) { return answer(request(review.dump())); }

  telemetry::Registry registry{"rollcall-webhook"};
  Metrics metrics{registry};
  PolicyBook policies;
  WaitingRoom waiting;
  Handler handler;
};

inline json response_of(const serve::Response& response) {
  const json body = json::parse(response.body, nullptr, false);
  return body.is_object() ? body.value("response", json()) : json();
}

/// A policy of one rule for namespaces of one label.
inline api::RollcallPolicy policy_for_team(const std::string& rule, std::optional<Severity> severity) {
  api::RollcallPolicy policy;
  policy.name = "gpu-teams";
  policy.namespace_selector.match_labels = {{"team", "gpu"}};
  policy.severities = {{rule, severity}};
  return policy;
}

}  // namespace rollcall::webhook::test
