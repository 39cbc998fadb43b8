#pragma once

#include <functional>

#include "desk/service.h"
#include "serve/server.h"
#include "telemetry/registry.h"
#include "telemetry/standard.h"

namespace rollcall::desk {

/// What `/metrics` shows of the desk. All members from any thread.
class Metrics {
 public:
  Metrics();

  telemetry::Registry& registry() { return registry_; }
  telemetry::Standard& standard() { return standard_; }

  /// Hooks for a Service; valid while this lives. rollcall_desk_answers_total{outcome},
  /// rollcall_desk_token_questions_total{what,result}, rollcall_desk_writes_total{result},
  /// rollcall_verdicts_total{kind,reason} (those that this desk wrote), rollcall_overrides_total,
  /// rollcall_stage_duration_seconds{stage,state}.
  Numbers numbers();
  /// rollcall_desk_endpoint_writes_total{result}: how often the Service had to be led here.
  void endpoint(bool good);

  // Numbers that others keep are taken over before each text, see Registry::before_text.
  void follow(std::function<Service::Figures()> figures);
  void follow(std::function<serve::Counters()> counters, std::function<int()> open_connections);

 private:
  telemetry::Registry registry_{"rollcall-desk"};
  telemetry::Standard standard_{registry_};
  telemetry::Counters& answers_;
  telemetry::Counters& asked_;
  telemetry::Counters& writes_;
  telemetry::Counters& verdicts_;
  prometheus::Counter& overrides_;
  telemetry::Histograms& stages_;
  telemetry::Counters& endpoint_;
};

}  // namespace rollcall::desk
