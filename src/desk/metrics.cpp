#include "desk/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace rollcall::desk {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;

/// Follows a counter that is kept elsewhere.
void follow(Counter& counter, std::uint64_t value) {
  const double ahead = static_cast<double>(value) - counter.Value();
  if (ahead > 0) counter.Increment(ahead);
}

}  // namespace

struct Metrics::State {
  prometheus::Registry registry;

  Family<Counter>& counter(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }
  Family<Gauge>& gauge(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  }

  Family<Counter>& answers =
      counter("rollcall_desk_answers_total", "Requests of probes by what the token checks came to.");
  Family<Counter>& asked =
      counter("rollcall_desk_token_questions_total", "TokenReviews and key sets asked for, by result.");
  Family<Counter>& writes = counter("rollcall_desk_writes_total", "Writes of RollCall status by result.");
  Family<Counter>& verdicts =
      counter("rollcall_desk_verdicts_total", "Verdicts of this desk that the API server stored.");
  Family<Counter>& certificate = counter("certwatcher_read_certificate_total", "Certificate reads.");
  Family<Counter>& certificate_errors =
      counter("certwatcher_read_certificate_errors_total", "Certificate reads that failed.");
  Family<Counter>& server = counter("rollcall_desk_server_total", "What the probes' server has seen, by event.");
  Family<Counter>& restarts =
      counter("rollcall_desk_watch_restarts_total", "Watches begun anew, by resource and reason.");
  Family<Counter>& watch_failures =
      counter("rollcall_desk_watch_callback_failures_total", "Objects the desk failed to take in.");
  Family<Gauge>& objects = gauge("rollcall_desk_objects", "What the desk keeps, by kind.");
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

Numbers Metrics::numbers() {
  State& state = *state_;
  return {
      .answer =
          [&state](std::string_view outcome) {
            state.answers.Add({{"outcome", std::string(outcome)}}).Increment();
          },
      .asked =
          [&state](std::string_view what, std::string_view result) {
            state.asked.Add({{"what", std::string(what)}, {"result", std::string(result)}}).Increment();
          },
      .write =
          [&state](std::string_view result) {
            state.writes.Add({{"result", std::string(result)}}).Increment();
          },
      .verdict =
          [&state](const api::Verdict& verdict) {
            const std::string reason(verdict.reason ? api::to_string(*verdict.reason) : "");
            state.verdicts.Add({{"kind", std::string(api::to_string(verdict.kind))}, {"reason", reason}}).Increment();
          },
  };
}

void Metrics::certificate_read(bool good) {
  state_->certificate.Add({}).Increment();
  auto& errors = state_->certificate_errors.Add({});
  if (!good) errors.Increment();
}

void Metrics::take(const Service::Figures& figures) {
  const auto set = [this](const char* kind, std::size_t value) {
    state_->objects.Add({{"kind", kind}}).Set(static_cast<double>(value));
  };
  set("rollcalls", figures.roll_calls);
  set("roll_calls_led", figures.calls);
  set("pods", figures.pods);
  set("replies_held", figures.held);
}

void Metrics::take(const serve::Counters& counters, int open_connections) {
  state_->objects.Add({{"kind", "connections"}}).Set(open_connections);
  const auto event = [this](const char* name, std::uint64_t value) {
    follow(state_->server.Add({{"event", name}}), value);
  };
  event("accepted", counters.accepted);
  event("refused", counters.refused);
  event("handshake_failed", counters.handshakes_failed);
  event("timed_out", counters.timed_out);
  event("request", counters.requests);
  event("bad_request", counters.bad_requests);
  event("handler_failed", counters.handler_failures);
  event("accept_failed", counters.accept_errors);
}

void Metrics::take(const std::string& resource, const kube::WatchHealth& health) {
  for (const auto& [reason, count] : health.restarts)
    follow(state_->restarts.Add({{"resource", resource}, {"reason", reason}}), count);
  follow(state_->watch_failures.Add({{"resource", resource}}), health.callback_failures);
}

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(state_->registry.Collect()); }

}  // namespace rollcall::desk
