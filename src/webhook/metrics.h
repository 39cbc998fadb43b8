#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <string>

#include "serve/server.h"
#include "telemetry/registry.h"
#include "webhook/decide.h"

namespace rollcall::webhook {

/// The webhook's own numbers, in controller-runtime's shapes where it has them. Any thread. `registry` must outlive it.
class Metrics {
 public:
  explicit Metrics(telemetry::Registry& registry);

  /// One request under way: counted in flight from its making to its end.
  class InFlight {
   public:
    explicit InFlight(Metrics& metrics) : metrics_(metrics) { metrics_.in_flight_.Increment(); }
    ~InFlight() { metrics_.in_flight_.Decrement(); }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

   private:
    Metrics& metrics_;
  };

  /// controller_runtime_webhook_requests_total{webhook,code}, _latency_seconds{webhook}.
  void answered(int code, std::chrono::duration<double> took);
  /// rollcall_admission_decisions_total{rule,decision}; a review without findings is rule "none", decision "admitted".
  void decided(const Decision& decision);
  /// rollcall_webhook_server_total{event}, rollcall_webhook_connections.
  void server(const serve::Counters& counters, int open_connections);

 private:
  telemetry::Counters& requests_;
  telemetry::Counters& decisions_;
  telemetry::Counters& server_;
  prometheus::Gauge& connections_;
  prometheus::Gauge& in_flight_;
  prometheus::Histogram& latency_;
  // Asked for with each review: looked up once.
  prometheus::Counter& answered_ok_;
  prometheus::Counter& clean_;
};

}  // namespace rollcall::webhook
