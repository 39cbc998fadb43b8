#include "telemetry/standard.h"

namespace rollcall::telemetry {
namespace {

using prometheus::Histogram;

/// client-go's buckets of workqueue durations: 10 ns to 10 s there; nothing here is faster than a microsecond.
const Histogram::BucketBoundaries& queue_buckets() {
  static const Histogram::BucketBoundaries buckets{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 60};
  return buckets;
}

}  // namespace

Standard::Standard(Registry& registry)
    : registry_(registry),
      requests_(registry.counters("rest_client_requests_total",
                                  "Requests to the API server by status, method and host; a watch counts at its end.")),
      request_seconds_(registry.histograms("rest_client_request_duration_seconds",
                                           "Time from sending a request to its whole reply; without watches.")),
      limiter_seconds_(registry.histograms("rest_client_rate_limiter_duration_seconds",
                                           "Time that requests were held back by this client's own rate limit.")),
      certificates_read_(
          registry
              .counters("certwatcher_read_certificate_total", "Times the serving certificate was read from its files.")
              .Add({})),
      certificates_failed_(registry
                               .counters("certwatcher_read_certificate_errors_total",
                                         "Times it could not be read; the one before is served on.")
                               .Add({})),
      expiry_(registry.gauges("rollcall_certificate_expiry_timestamp_seconds",
                              "When a certificate expires, in seconds since 1970.")) {}

void Standard::request(const kube::RequestSent& sent) {
  const std::string method(sent.method), host(sent.host);
  const auto code = sent.code == 0 ? "<error>" : std::to_string(sent.code);
  requests_.Add({{"code", code}, {"method", method}, {"host", host}}).Increment();
  if (!sent.watch) request_seconds_.Add({{"method", method}, {"host", host}}, call_buckets()).Observe(sent.seconds);
  if (sent.waited > 0) limiter_seconds_.Add({{"method", method}, {"host", host}}, call_buckets()).Observe(sent.waited);
}

kube::QueueHooks Standard::queue_hooks(const std::string& name) {
  auto& adds = registry_.counters("workqueue_adds_total", "Keys that were put in the queue.").Add({{"name", name}});
  auto& retries =
      registry_.counters("workqueue_retries_total", "Keys that come again after a failure.").Add({{"name", name}});
  auto& queued = registry_.histograms("workqueue_queue_duration_seconds", "How long keys waited for a worker.")
                     .Add({{"name", name}}, queue_buckets());
  auto& worked = registry_.histograms("workqueue_work_duration_seconds", "How long work on a key took.")
                     .Add({{"name", name}}, queue_buckets());
  return {.added = [&adds] { adds.Increment(); },
          .taken = [&queued](double seconds) { queued.Observe(seconds); },
          .done = [&worked](double seconds) { worked.Observe(seconds); },
          .retried = [&retries] { retries.Increment(); }};
}

void Standard::queue(const std::string& name, std::function<kube::QueueFigures()> figures) {
  auto& depth = registry_.gauges("workqueue_depth", "Keys that wait for a worker.").Add({{"name", name}});
  auto& unfinished =
      registry_.gauges("workqueue_unfinished_work_seconds", "Time that the work under way has taken, together.")
          .Add({{"name", name}});
  auto& longest = registry_
                      .gauges("workqueue_longest_running_processor_seconds",
                              "Time that the oldest of the work under way has taken.")
                      .Add({{"name", name}});
  registry_.before_text([&depth, &unfinished, &longest, figures = std::move(figures)] {
    const auto now = figures();
    depth.Set(static_cast<double>(now.depth));
    unfinished.Set(now.unfinished_seconds);
    longest.Set(now.longest_seconds);
  });
}

void Standard::leadership(const std::string& lease, std::function<bool()> leading) {
  auto& status = registry_
                     .gauges("leader_election_master_status",
                             "1 while this process holds the lease of this name, 0 while another does or nobody.")
                     .Add({{"name", lease}});
  registry_.before_text([&status, leading = std::move(leading)] { status.Set(leading() ? 1 : 0); });
}

void Standard::watch(const std::string& resource, std::function<kube::WatchHealth()> health,
                     std::function<std::size_t()> objects) {
  auto& restarts =
      registry_.counters("rollcall_watch_restarts_total", "Watches that were begun anew, by resource and reason.");
  auto& failures = registry_
                       .counters("rollcall_watch_callback_failures_total",
                                 "Objects of a watch that could not be taken in; a defect of this program.")
                       .Add({{"resource", resource}});
  auto* cached = objects ? &registry_.gauges("rollcall_cached_objects", "Objects in the cache, by resource.")
                                .Add({{"resource", resource}})
                         : nullptr;
  registry_.before_text(
      [&restarts, &failures, cached, resource, health = std::move(health), objects = std::move(objects)] {
        const auto now = health();
        for (const auto& [reason, count] : now.restarts)
          follow(restarts.Add({{"resource", resource}, {"reason", reason}}), static_cast<double>(count));
        follow(failures, static_cast<double>(now.callback_failures));
        if (cached != nullptr) cached->Set(static_cast<double>(objects()));
      });
}

void Standard::certificate_read(bool good) {
  certificates_read_.Increment();
  if (!good) certificates_failed_.Increment();
}

void Standard::certificate_expiry(const std::string& certificate, std::chrono::system_clock::time_point end) {
  expiry_.Add({{"certificate", certificate}})
      .Set(std::chrono::duration<double>(std::chrono::floor<std::chrono::seconds>(end.time_since_epoch())).count());
}

}  // namespace rollcall::telemetry
