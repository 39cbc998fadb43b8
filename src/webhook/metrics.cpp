#include "webhook/metrics.h"

namespace rollcall::webhook {
namespace {

const std::map<std::string, std::string> kWebhook{{"webhook", "/validate"}};

/// Rules take tens of microseconds, so it begins far below controller-runtime's 5 ms; at its other end the API server's
/// longest patience, 30 s.
const prometheus::Histogram::BucketBoundaries kSeconds{
    0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};

}  // namespace

Metrics::Metrics(telemetry::Registry& registry)
    : requests_(registry.counters("controller_runtime_webhook_requests_total", "Admission requests by HTTP code.")),
      decisions_(registry.counters("rollcall_admission_decisions_total",
                                   "Findings of admission by rule and what became of them.")),
      server_(registry.counters("rollcall_webhook_server_total", "What the admission server has seen, by event.")),
      connections_(
          registry.gauges("rollcall_webhook_connections", "Open connections of the admission server.").Add({})),
      in_flight_(registry.gauges("controller_runtime_webhook_requests_in_flight", "Admission requests under way.")
                     .Add(kWebhook)),
      latency_(registry.histograms("controller_runtime_webhook_latency_seconds", "Time to answer an admission request.")
                   .Add(kWebhook, kSeconds)),
      answered_ok_(requests_.Add({{"webhook", "/validate"}, {"code", "200"}})),
      clean_(decisions_.Add({{"rule", "none"}, {"decision", "admitted"}})) {
  requests_.Add({{"webhook", "/validate"}, {"code", "500"}});  // a rate needs the zero before the first error
}

void Metrics::answered(int code, std::chrono::duration<double> took) {
  if (code == 200) {
    answered_ok_.Increment();
  } else {
    requests_.Add({{"webhook", "/validate"}, {"code", std::to_string(code)}}).Increment();
  }
  latency_.Observe(took.count());
}

void Metrics::decided(const Decision& decision) {
  if (decision.findings.empty()) clean_.Increment();
  for (const auto& [rule, outcome] : decision.findings)
    decisions_.Add({{"rule", rule}, {"decision", std::string(to_string(outcome))}}).Increment();
}

void Metrics::server(const serve::Counters& counters, int open_connections) {
  connections_.Set(open_connections);
  const auto event = [this](const char* name, std::uint64_t value) {
    telemetry::follow(server_.Add({{"event", name}}), static_cast<double>(value));
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

}  // namespace rollcall::webhook
