#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rollcall::launch {

/// What a TrainJob's spec.runtimeRef names.
struct RuntimeName {
  bool cluster_wide = true;
  std::string namespace_name;  ///< empty for a ClusterTrainingRuntime
  std::string name;

  bool operator==(const RuntimeName&) const = default;
};

/// The runtime that a TrainJob is made from, with the defaults of its schema; nullopt for an object that is no
/// TrainJob, names none, or names one of another group. For whoever must look it up in a cache.
std::optional<RuntimeName> runtime_named_by(const nlohmann::json& object);

/// The TrainingRuntimes and ClusterTrainingRuntimes (trainer.kubeflow.org) that are known. A value type: threads may
/// read one at once while nobody adds to it. What is not here may still be in the cluster.
class Runtimes {
 public:
  /// Takes a copy of an object that is a runtime; everything else is passed over.
  void add(const nlohmann::json& object);
  /// The same without a copy: from a watch's cache.
  void add(std::shared_ptr<const nlohmann::json> object);

  /// nullptr when there is none of this name, or several that differ: which one counts is then open. A runtime without
  /// a namespace is applied into the one that the caller names, so an empty namespace on either side fits.
  const nlohmann::json* find(const RuntimeName& name) const;

 private:
  struct Known {
    RuntimeName name;
    std::shared_ptr<const nlohmann::json> object;
  };
  std::vector<Known> known_;
};

}  // namespace rollcall::launch
