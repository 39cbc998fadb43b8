#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kube/cache.h"
#include "operator/decision.h"

namespace rollcall::operator_ {

/// The caches of TrainingJobs, their pods and their RollCalls. A key is `NAMESPACE/NAME` of a job.
class Jobs {
 public:
  /// `changed` is called with the key of a job of which something changed, on a cache's thread.
  Jobs(kube::Client& client, std::function<void(const std::string& key)> changed);

  void start();
  void stop();
  bool synced() const;

  /// All that is known of a job now; nullopt when there is none, an Error when it cannot be read.
  Result<std::optional<Observed>> observe(const std::string& key) const;

  std::size_t jobs() const { return jobs_.size(); }
  std::size_t pods() const { return pods_.size(); }
  std::size_t roll_calls() const { return roll_calls_.size(); }

 private:
  std::function<void(const std::string&)> changed_;
  kube::Cache<nlohmann::json> jobs_;
  kube::Cache<PodFacts> pods_;
  kube::Cache<api::RollCall> roll_calls_;
};

}  // namespace rollcall::operator_
