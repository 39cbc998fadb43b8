#include "operator/metrics.h"

#include <prometheus/text_serializer.h>

namespace rollcall::operator_ {

using prometheus::BuildCounter;
using prometheus::BuildGauge;

Metrics::Metrics()
    : reconciled_(BuildCounter()
                      .Name("rollcall_operator_reconcile_total")
                      .Help("Looks at a job, by how they ended: done, again, refused, failed.")
                      .Register(registry_)),
      events_(BuildCounter()
                  .Name("rollcall_operator_events_total")
                  .Help("What happened to jobs, by the reason of the event: Called, Held, Released, Overridden, "
                        "AttemptEnded …")
                  .Register(registry_)),
      depth_(BuildGauge()
                 .Name("workqueue_depth")
                 .Help("Jobs waiting for a look.")
                 .Register(registry_)
                 .Add({{"name", "trainingjob"}})),
      cached_(BuildGauge()
                  .Name("rollcall_operator_cached_objects")
                  .Help("Objects in the caches, by kind.")
                  .Register(registry_)) {}

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

}  // namespace rollcall::operator_
