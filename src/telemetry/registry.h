#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace rollcall::telemetry {

using Counters = prometheus::Family<prometheus::Counter>;
using Gauges = prometheus::Family<prometheus::Gauge>;
using Histograms = prometheus::Family<prometheus::Histogram>;

/// client-go's and controller-runtime's range for calls and looks, 5 ms to 60 s, so that their dashboards fit.
const prometheus::Histogram::BucketBoundaries& call_buckets();

/// All metrics of one program, with rollcall_build_info among them. Any thread. A family asked for twice under one name
/// is the same one.
class Registry {
 public:
  /// `program`: rollcall-operator.
  explicit Registry(const std::string& program);

  Counters& counters(const std::string& name, const std::string& help);
  Gauges& gauges(const std::string& name, const std::string& help);
  Histograms& histograms(const std::string& name, const std::string& help);

  /// `refresh` is called before each text(), to bring over what others count. It must not block; what it looks at has
  /// to live until the last text(): stop the metrics server first.
  void before_text(std::function<void()> refresh);
  /// Prometheus text format 0.0.4.
  std::string text() const;

 private:
  mutable prometheus::Registry registry_;
  mutable std::mutex mutex_;  ///< one text at a time: refreshes need not be ready for two
  std::vector<std::function<void()>> refreshes_;
};

/// Brings a counter up to a number that is counted elsewhere.
void follow(prometheus::Counter& counter, double value);

}  // namespace rollcall::telemetry
