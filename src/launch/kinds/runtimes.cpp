#include "launch/kinds/runtimes.h"

#include <algorithm>
#include <utility>

#include "launch/document/field.h"

namespace rollcall::launch {
namespace {

constexpr auto kGroup = "trainer.kubeflow.org";
constexpr auto kClusterWide = "ClusterTrainingRuntime";
constexpr auto kNamespaced = "TrainingRuntime";

/// Runtimes that are kept. A cluster has a handful; a text of many more is no input of jobs.
constexpr std::size_t kMostRuntimes = 1000;

bool of_the_group(const Field& object) { return object["apiVersion"].text().starts_with(std::string(kGroup) + "/"); }

std::optional<RuntimeName> name_of(const nlohmann::json& object) {
  const Field root(object);
  const std::string kind = root["kind"].text();
  if (!of_the_group(root) || (kind != kClusterWide && kind != kNamespaced)) return std::nullopt;
  const bool cluster_wide = kind == kClusterWide;
  const Field meta = root["metadata"];
  return RuntimeName{cluster_wide, cluster_wide ? "" : meta["namespace"].text(), meta["name"].text()};
}

bool same_spec(const nlohmann::json& one, const nlohmann::json& other) {
  const auto left = one.find("spec");
  const auto right = other.find("spec");
  return left != one.end() && right != other.end() && *left == *right;
}

bool fits(const RuntimeName& one, const RuntimeName& other) {
  return one.cluster_wide == other.cluster_wide && one.name == other.name &&
         (one.namespace_name == other.namespace_name || one.namespace_name.empty() || other.namespace_name.empty());
}

}  // namespace

std::optional<RuntimeName> runtime_named_by(const nlohmann::json& object) {
  const Field root(object);
  const Field reference = root["spec"]["runtimeRef"];
  if (!of_the_group(root) || root["kind"].text() != "TrainJob" || reference["name"].text().empty()) return std::nullopt;
  const std::string kind = reference["kind"].text(kClusterWide);
  if (reference["apiGroup"].text(kGroup) != kGroup || (kind != kClusterWide && kind != kNamespaced))
    return std::nullopt;
  const bool cluster_wide = kind == kClusterWide;
  return RuntimeName{cluster_wide, cluster_wide ? "" : root["metadata"]["namespace"].text(), reference["name"].text()};
}

void Runtimes::add(const nlohmann::json& object) {
  if (name_of(object)) add(std::make_shared<const nlohmann::json>(object));
}

void Runtimes::add(std::shared_ptr<const nlohmann::json> object) {
  auto name = name_of(*object);
  if (!name || known_.size() >= kMostRuntimes) return;
  known_.push_back({std::move(*name), std::move(object)});
}

const nlohmann::json* Runtimes::find(const RuntimeName& name) const {
  const nlohmann::json* found = nullptr;
  for (const Known& one : known_) {
    if (!fits(one.name, name)) continue;
    if (found != nullptr && !same_spec(*found, *one.object)) return nullptr;
    found = one.object.get();
  }
  return found;
}

}  // namespace rollcall::launch
