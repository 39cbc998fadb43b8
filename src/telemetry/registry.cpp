#include "telemetry/registry.h"

#include <prometheus/text_serializer.h>

namespace rollcall::telemetry {

const prometheus::Histogram::BucketBoundaries& call_buckets() {
  static const prometheus::Histogram::BucketBoundaries buckets{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                                               1,     2.5,  5,     10,   30,  60};
  return buckets;
}

Registry::Registry(const std::string& program) {
  gauges("rollcall_build_info", "What runs: program, version and compiler; always 1.")
      .Add({{"program", program}, {"version", ROLLCALL_VERSION}, {"compiler", "g++ " __VERSION__}})
      .Set(1);
}

Counters& Registry::counters(const std::string& name, const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
}

Gauges& Registry::gauges(const std::string& name, const std::string& help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry_);
}

Histograms& Registry::histograms(const std::string& name, const std::string& help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry_);
}

void Registry::before_text(std::function<void()> refresh) {
  const std::lock_guard lock(mutex_);
  refreshes_.push_back(std::move(refresh));
}

std::string Registry::text() const {
  const std::lock_guard lock(mutex_);
  for (const auto& refresh : refreshes_) refresh();
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

void follow(prometheus::Counter& counter, double value) {
  const double ahead = value - counter.Value();
  if (ahead > 0) counter.Increment(ahead);
}

}  // namespace rollcall::telemetry
