#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/cache.h"
#include "operator/namespace_caches.h"
#include "telemetry/standard.h"

namespace rollcall::operator_ {

/// The caches of TrainingJobs, their pods and their RollCalls, and of what policies say for a job: RollcallPolicies and
/// the labels of namespaces. A key is `NAMESPACE/NAME` of a job.
class Jobs {
 public:
  /// `namespaces` empty: all of them. Otherwise these alone, and no policies: those are cluster-scoped, as are the
  /// labels of namespaces that they select by, and who is given namespaces has no rights beyond them.
  Jobs(kube::Client& client, const std::vector<std::string>& namespaces, JobCallbacks callbacks);

  void start();
  void stop();
  bool synced() const;

  /// All that is known of a job now; nullopt when there is none, an Error when it cannot be read.
  Result<std::optional<Observed>> observe(const std::string& key) const;

  std::vector<std::string> keys() const;  ///< of all jobs
  std::vector<std::shared_ptr<const api::RollCall>> roll_calls() const;

  /// Sizes and health of the caches, asked for before each text of metrics.
  void measure(telemetry::Standard& standard) const;

 private:
  /// A policy or a namespace's labels changed: every job of the namespace is looked at; empty = of all namespaces.
  void look_at_jobs_of(const std::string& ns);
  launch::Policy policy_of(const std::string& ns) const;

  /// Null for a namespace that is not watched.
  const NamespaceCaches* caches_of(const std::string& ns) const;

  struct Policies {
    kube::Cache<api::RollcallPolicy> policies;
    kube::Cache<std::map<std::string, std::string>> namespaces;  ///< their labels
  };

  const JobCallbacks callbacks_;
  std::vector<std::unique_ptr<NamespaceCaches>> watched_;
  std::unique_ptr<Policies> policies_;  ///< null where namespaces are given
};

}  // namespace rollcall::operator_
