#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "kube/client.h"
#include "kube/queue.h"
#include "kube/reflector.h"
#include "telemetry/registry.h"

namespace rollcall::telemetry {

/// The metrics that every program has, under the names that client-go and controller-runtime gave them, so that the
/// dashboards for those fit. Any thread; `registry` must outlive it.
class Standard {
 public:
  explicit Standard(Registry& registry);

  /// For ClientOptions::on_request: rest_client_requests_total{code,method,host},
  /// rest_client_request_duration_seconds{method,host} (not of watches),
  /// rest_client_rate_limiter_duration_seconds{method,host}. The code of a request without a reply is `<error>`, as
  /// client-go has it.
  void request(const kube::RequestSent& sent);

  /// workqueue_adds_total, _retries_total, _queue_duration_seconds, _work_duration_seconds {name}.
  kube::QueueHooks queue_hooks(const std::string& name);
  /// workqueue_depth, _unfinished_work_seconds, _longest_running_processor_seconds {name}. For this and what follows:
  /// the functions are asked before each text, see Registry::before_text.
  void queue(const std::string& name, std::function<kube::QueueFigures()> figures);

  /// leader_election_master_status{name}: 1 while this process leads.
  void leadership(const std::string& lease, std::function<bool()> leading);

  /// rollcall_watch_restarts_total{resource,reason}, rollcall_watch_callback_failures_total{resource},
  /// rollcall_cached_objects{resource}.
  void watch(const std::string& resource, std::function<kube::WatchHealth()> health,
             std::function<std::size_t()> objects = {});

  /// certwatcher_read_certificate_total and _errors_total: a serving certificate was read, for better or worse.
  void certificate_read(bool good);
  /// rollcall_certificate_expiry_timestamp_seconds{certificate}: desk, webhook, ca.
  void certificate_expiry(const std::string& certificate, std::chrono::system_clock::time_point end);

 private:
  Registry& registry_;
  Counters& requests_;
  Histograms& request_seconds_;
  Histograms& limiter_seconds_;
  prometheus::Counter& certificates_read_;
  prometheus::Counter& certificates_failed_;
  Gauges& expiry_;
};

}  // namespace rollcall::telemetry
