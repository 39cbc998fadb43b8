#include "webhook/handler.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/printable.h"
#include "launch/kinds/context.h"
#include "webhook/review/answer.h"
#include "webhook/review/review.h"
#include "webhook/time_limit.h"

namespace rollcall::webhook {
namespace {

/// Kept back from the time limit for the reply's way: a limit is the caller's patience, connection and all.
constexpr std::chrono::milliseconds kForTheWay{250};

bool is_json(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  constexpr std::string_view kJson = "application/json";
  const std::size_t end = type.find_last_not_of(" \t");
  return end != std::string_view::npos && type.substr(0, end + 1) == kJson;
}

/// What rules may look at beside the object.
launch::Context context_of(const Review& review, const PolicyBook::Labels* labels, const RuntimeBook* runtimes) {
  launch::Context context;
  if (labels != nullptr) {
    context.add(
        {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", review.ns}, {"labels", *labels}}}});
  }
  const auto runtime = runtimes == nullptr ? nullptr : runtimes->of(review.object, review.ns);
  if (runtime) context.add(*runtime);
  return context;
}

bool refuses_others(const PolicyBook::Labels* labels) {
  if (labels == nullptr) return false;
  const auto label = labels->find(kEnforceLabel);
  return label != labels->end() && label->second == kEnforceDeny;
}

}  // namespace

/// One request on its way to its answer.
struct Handler::Exchange {
  Exchange(Metrics& metrics, serve::Respond on_answer, std::chrono::steady_clock::time_point now)
      : in_flight(metrics), respond(std::move(on_answer)), begun(now) {}

  Metrics::InFlight in_flight;
  serve::Respond respond;
  std::chrono::steady_clock::time_point begun, deadline;
  Review review;
};

Handler::Handler(const PolicyBook& policies, WaitingRoom& waiting, Metrics& metrics, Options options)
    : policies_(policies), waiting_(waiting), metrics_(metrics), options_(std::move(options)) {}

void Handler::handle(serve::Request request, serve::Respond respond) {
  const auto exchange = std::make_shared<Exchange>(metrics_, std::move(respond), options_.now());
  try {
    const auto target = target_of(request.target);
    if (!target) return fail(*exchange, 400, target.error().message);
    if (target->path != "/validate") return fail(*exchange, 404, "this port serves /validate alone");
    if (request.method != "POST") return fail(*exchange, 405, "an AdmissionReview is sent by POST");
    if (!is_json(request.content_type)) {
      return fail(*exchange, 415,
                  "an AdmissionReview is application/json; this is `" + clipped(request.content_type, 80) + "`");
    }
    exchange->deadline = exchange->begun + std::max(target->limit - kForTheWay, target->limit / 2);
    auto review = read_review(std::move(request.body));
    if (!review) {
      return fail(*exchange, review.error().code == kOverBudget ? 413 : 400, review.error().message);
    }
    exchange->review = std::move(*review);
    decide_on(exchange);
  } catch (const std::exception& e) {
    fail(*exchange, 500, std::string("the review could not be worked out: ") + e.what());
  }
}

PolicyBook::Found Handler::look_up(const Review& review) const {
  if (!is_read(review)) return PolicyBook::OfNamespace{};
  // A TrainingJob is refused whatever its namespace says.
  return policies_.for_namespace(review.ns, !is_training_job(review));
}

void Handler::decide_on(const std::shared_ptr<Exchange>& exchange) {
  const Review& review = exchange->review;
  const PolicyBook::Found found = look_up(review);
  if (std::holds_alternative<PolicyBook::UnknownNamespace>(found)) return wait_for_namespace(exchange);
  if (std::holds_alternative<PolicyBook::NotOpen>(found))
    return fail(*exchange, 503, "the RollcallPolicies of the cluster are not read yet; ask again");
  if (const auto* error = std::get_if<Error>(&found)) return fail(*exchange, 500, error->message);

  const auto& [policy, labels] = std::get<PolicyBook::OfNamespace>(found);
  const launch::Context context = context_of(review, labels.get(), options_.runtimes);
  const Decision decision = decide(review, policy, options_.enforcement, {refuses_others(labels.get()), &context});
  std::string body = answer_body(review.uid, decision.answer);
  // An answer nobody waits for any more is none: what the API server did meanwhile is its failurePolicy.
  if (options_.now() > exchange->deadline) return fail(*exchange, 504, "the time limit passed during the review");
  metrics_.decided(decision);
  reply(*exchange, {200, "application/json", std::move(body), {}});
}

void Handler::wait_for_namespace(const std::shared_ptr<Exchange>& exchange) {
  const std::string& ns = exchange->review.ns;
  const auto known = [this, exchange] {
    return !std::holds_alternative<PolicyBook::UnknownNamespace>(look_up(exchange->review));
  };
  const auto resume = [this, exchange](WaitingRoom::End end) {
    try {
      switch (end) {
        case WaitingRoom::End::came:
          return decide_on(exchange);
        case WaitingRoom::End::deadline:
          return fail(*exchange, 504,
                      "namespace " + clipped(exchange->review.ns, 63) +
                          " did not show up in the watch in time, and its labels decide");
        case WaitingRoom::End::closed:
          return fail(*exchange, 503, "this webhook is ending");
      }
    } catch (const std::exception& e) {
      fail(*exchange, 500, std::string("the review could not be worked out: ") + e.what());
    }
  };
  if (!waiting_.wait(ns, exchange->deadline, known, resume)) {
    fail(*exchange, 503,
         "too many reviews wait for namespaces the watch has not shown yet, or this webhook is ending; ask again");
  }
}

void Handler::reply(Exchange& exchange, serve::Response response) {
  metrics_.answered(response.status, options_.now() - exchange.begun);
  // Who sends a review is the API server, or somebody who took the trouble; who sends nonsense keeps no place.
  response.vouched = response.status == 200 || response.status >= 500;
  response.close = options_.ending && options_.ending();
  exchange.respond(std::move(response));
}

void Handler::fail(Exchange& exchange, int status, const std::string& why) {
  if (options_.on_error) options_.on_error(status, why);
  reply(exchange, {status, "application/json", status_body(status, why), {}});
}

}  // namespace rollcall::webhook
