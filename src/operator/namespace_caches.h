#pragma once

#include <functional>
#include <string>

#include "kube/cache.h"
#include "operator/decision.h"

namespace rollcall::operator_ {

/// What Jobs tells of changes, on a cache's thread.
struct JobCallbacks {
  /// With the key of a job of which something changed.
  std::function<void(const std::string& key)> changed;
  /// A RollCall as it was and as it is, both there. May be empty.
  std::function<void(const api::RollCall& before, const api::RollCall& now)> roll_call_changed = {};
};

/// TrainingJobs, their pods and their RollCalls of one namespace; of all when `ns` is empty.
struct NamespaceCaches {
  NamespaceCaches(kube::Client& client, const std::string& ns, const JobCallbacks& callbacks);

  void start();
  void stop();
  bool synced() const { return jobs.synced() && pods.synced() && roll_calls.synced(); }

  const std::string ns;
  kube::Cache<nlohmann::json> jobs;
  kube::Cache<PodFacts> pods;
  kube::Cache<api::RollCall> roll_calls;
};

}  // namespace rollcall::operator_
