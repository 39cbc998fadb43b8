#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

namespace rollcall::webhook {

/// The runtimes of Kubeflow Trainer that the watches have seen: what a TrainJob means stands in the one it names. One
/// that is not here may be in the cluster all the same (made a moment ago, or nobody may read it): what hangs on it is
/// unknown then. Any thread; no I/O.
class RuntimeBook {
 public:
  /// `kind`: TrainingRuntime or ClusterTrainingRuntime, the latter without a namespace. Kept are the spec and what
  /// names the object.
  void changed(const std::string& kind, const nlohmann::json& object);
  void removed(const std::string& kind, const std::string& ns, const std::string& name);
  /// The cluster has none any more: the project was uninstalled.
  void forget(const std::string& kind);

  /// The runtime that the TrainJob in namespace `ns` names; nullptr for every other object, and when it is not known.
  std::shared_ptr<const nlohmann::json> of(const nlohmann::json& train_job, const std::string& ns) const;

  std::size_t size() const;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  ///< kind, namespace, name
  mutable std::mutex mutex_;
  std::map<Key, std::shared_ptr<const nlohmann::json>> runtimes_;
};

}  // namespace rollcall::webhook
