#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <string>

namespace rollcall::operator_ {

/// What `/metrics` shows. All members from any thread.
class Metrics {
 public:
  Metrics();
  void reconciled(const std::string& result) { reconciled_.Add({{"result", result}}).Increment(); }
  void event(const std::string& reason) { events_.Add({{"reason", reason}}).Increment(); }
  void queue_depth(std::size_t depth) { depth_.Set(static_cast<double>(depth)); }
  void cached(const std::string& kind, std::size_t objects) {
    cached_.Add({{"kind", kind}}).Set(static_cast<double>(objects));
  }
  /// Prometheus text format 0.0.4.
  std::string text() const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& reconciled_;
  prometheus::Family<prometheus::Counter>& events_;
  prometheus::Gauge& depth_;
  prometheus::Family<prometheus::Gauge>& cached_;
};

}  // namespace rollcall::operator_
