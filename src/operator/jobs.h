#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/cache.h"
#include "operator/decision.h"
#include "telemetry/standard.h"

namespace rollcall::operator_ {

/// The caches of TrainingJobs, their pods and their RollCalls, and of what policies say for a job: RollcallPolicies and
/// the labels of namespaces. A key is `NAMESPACE/NAME` of a job.
class Jobs {
 public:
  struct Callbacks {
    /// With the key of a job of which something changed, on a cache's thread.
    std::function<void(const std::string& key)> changed;
    /// A RollCall as it was and as it is, both there; on a cache's thread. May be empty.
    std::function<void(const api::RollCall& before, const api::RollCall& now)> roll_call_changed = {};
  };
  Jobs(kube::Client& client, Callbacks callbacks);

  void start();
  void stop();
  bool synced() const;

  /// All that is known of a job now; nullopt when there is none, an Error when it cannot be read.
  Result<std::optional<Observed>> observe(const std::string& key) const;

  std::vector<std::shared_ptr<const api::RollCall>> roll_calls() const;

  /// Sizes and health of the caches, asked for before each text of metrics.
  void measure(telemetry::Standard& standard) const;

 private:
  /// A policy or a namespace's labels changed: every job of the namespace is looked at; empty = of all namespaces.
  void look_at_jobs_of(const std::string& ns);
  launch::Policy policy_of(const std::string& ns) const;

  const Callbacks callbacks_;
  kube::Cache<nlohmann::json> jobs_;
  kube::Cache<PodFacts> pods_;
  kube::Cache<api::RollCall> roll_calls_;
  kube::Cache<api::RollcallPolicy> policies_;
  kube::Cache<std::map<std::string, std::string>> namespaces_;  ///< their labels
};

}  // namespace rollcall::operator_
