#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "launch/launch.h"

namespace rollcall::launch::train_job {

/// One value laid over another as a strategic merge patch is, and where both stand. `written` gets what was changed.
struct Layer {
  nlohmann::json& under;
  std::string under_path;
  const nlohmann::json& over;
  std::string over_path;
};

/// Objects are merged key by key, the lists that Kubernetes merges (containers by name, volumeMounts by mountPath …)
/// item by item; every other value is replaced. A null changes nothing.
void lay_over(const Layer& layer, std::vector<Written>& written);

/// An env list: an entry of a name that is there replaces it whole, others are put behind.
void lay_over_env(const Layer& layer, std::vector<Written>& written);

}  // namespace rollcall::launch::train_job
