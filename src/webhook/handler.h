#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "serve/server.h"
#include "webhook/decide.h"
#include "webhook/metrics.h"
#include "webhook/policies/policy_book.h"
#include "webhook/policies/waiting_room.h"
#include "webhook/runtimes/runtime_book.h"

namespace rollcall::webhook {

/// Answers POST /validate. Three outcomes: an AdmissionReview that allows, one that denies, and an HTTP error with
/// words when nothing could be decided; the API server then does what failurePolicy says. Calls nobody.
class Handler {
 public:
  struct Options {
    Enforcement enforcement = Enforcement::deny;
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
    /// Whether connections should end with their next reply, so that the API server's next request leads to another
    /// replica.
    std::function<bool()> ending = {};
    /// What TrainJobs refer to; must outlive the handler. nullptr = none are known.
    const RuntimeBook* runtimes = nullptr;
    /// Told of each answer that was no answer; any thread, must not block.
    std::function<void(int status, const std::string& why)> on_error = {};
  };

  /// All must outlive it.
  Handler(const PolicyBook& policies, WaitingRoom& waiting, Metrics& metrics, Options options);

  /// A serve::Handler; any thread.
  void handle(serve::Request request, serve::Respond respond);

 private:
  struct Exchange;
  PolicyBook::Found look_up(const Review& review) const;
  void decide_on(const std::shared_ptr<Exchange>& exchange);
  void wait_for_namespace(const std::shared_ptr<Exchange>& exchange);
  void reply(Exchange& exchange, serve::Response response);
  void fail(Exchange& exchange, int status, const std::string& why);

  const PolicyBook& policies_;
  WaitingRoom& waiting_;
  Metrics& metrics_;
  const Options options_;
};

}  // namespace rollcall::webhook
