#include "desk/metrics.h"

namespace rollcall::desk {
namespace {

/// Stages take from a few milliseconds (comparison) to timeoutSeconds (600 by default) and waitForPodsSeconds (1,800).
const prometheus::Histogram::BucketBoundaries& stage_buckets() {
  static const prometheus::Histogram::BucketBoundaries buckets{0.01, 0.05, 0.1, 0.5, 1,   2,   5,    10,
                                                               20,   30,   60,  120, 300, 600, 1200, 1800};
  return buckets;
}

}  // namespace

Metrics::Metrics()
    : answers_(
          registry_.counters("rollcall_desk_answers_total", "Requests of probes by what the token checks came to.")),
      asked_(
          registry_.counters("rollcall_desk_token_questions_total", "TokenReviews and key sets asked for, by result.")),
      writes_(registry_.counters("rollcall_desk_writes_total", "Writes of RollCall status by result.")),
      verdicts_(registry_.counters("rollcall_verdicts_total",
                                   "Verdicts of this program that the API server stored, by kind and reason.")),
      overrides_(
          registry_.counters("rollcall_overrides_total", "Jobs released because a person said so, whatever was found.")
              .Add({})),
      stages_(registry_.histograms("rollcall_stage_duration_seconds", "How long the stages of rounds took.")),
      endpoint_(registry_.counters("rollcall_desk_endpoint_writes_total",
                                   "Writes of the EndpointSlice that leads probes to this desk, by result.")) {}

Numbers Metrics::numbers() {
  return {
      .answer =
          [this](std::string_view outcome) {
            answers_.Add({{"outcome", std::string(outcome)}}).Increment();
          },
      .asked =
          [this](std::string_view what, std::string_view result) {
            asked_.Add({{"what", std::string(what)}, {"result", std::string(result)}}).Increment();
          },
      .write =
          [this](std::string_view result) {
            writes_.Add({{"result", std::string(result)}}).Increment();
          },
      .verdict =
          [this](const api::Verdict& verdict) {
            const std::string reason(verdict.reason ? api::to_string(*verdict.reason) : "");
            verdicts_.Add({{"kind", std::string(api::to_string(verdict.kind))}, {"reason", reason}}).Increment();
            if (verdict.overridden) overrides_.Increment();
          },
      .stage =
          [this](const api::StageLine& stage) {
            stages_.Add({{"stage", stage.name}, {"state", stage.state}}, stage_buckets()).Observe(stage.seconds);
          },
  };
}

void Metrics::endpoint(bool good) { endpoint_.Add({{"result", good ? "Written" : "Error"}}).Increment(); }

void Metrics::follow(std::function<Service::Figures()> figures) {
  auto& objects = registry_.gauges("rollcall_desk_objects", "What the desk keeps, by kind.");
  registry_.before_text([&objects, figures = std::move(figures)] {
    const auto now = figures();
    const auto set = [&objects](const char* kind, std::size_t value) {
      objects.Add({{"kind", kind}}).Set(static_cast<double>(value));
    };
    set("rollcalls", now.roll_calls);
    set("roll_calls_led", now.calls);
    set("pods", now.pods);
    set("replies_held", now.held);
  });
}

void Metrics::follow(std::function<serve::Counters()> counters, std::function<int()> open_connections) {
  auto& events = registry_.counters("rollcall_desk_server_total", "What the probes' server has seen, by event.");
  auto& objects = registry_.gauges("rollcall_desk_objects", "What the desk keeps, by kind.");
  registry_.before_text(
      [&events, &objects, counters = std::move(counters), open_connections = std::move(open_connections)] {
        objects.Add({{"kind", "connections"}}).Set(open_connections());
        const auto now = counters();
        const auto event = [&events](const char* name, std::uint64_t value) {
          telemetry::follow(events.Add({{"event", name}}), static_cast<double>(value));
        };
        event("accepted", now.accepted);
        event("refused", now.refused);
        event("handshake_failed", now.handshakes_failed);
        event("timed_out", now.timed_out);
        event("request", now.requests);
        event("bad_request", now.bad_requests);
        event("handler_failed", now.handler_failures);
        event("accept_failed", now.accept_errors);
        event("evicted", now.evicted);
      });
}

}  // namespace rollcall::desk
