#include "webhook/runtimes/runtime_book.h"

#include <utility>

#include "launch/document/field.h"

namespace rollcall::webhook {
namespace {

using nlohmann::json;

constexpr auto kGroup = "trainer.kubeflow.org";

}  // namespace

void RuntimeBook::changed(const std::string& kind, const json& object) {
  const launch::Field meta = launch::Field(object)["metadata"];
  json kept{{"apiVersion", object.value("apiVersion", "")}, {"kind", kind}};
  for (const char* key : {"namespace", "name", "labels"})
    if (meta[key].present()) kept["metadata"][key] = meta[key].json();
  if (const auto spec = object.find("spec"); spec != object.end()) kept["spec"] = *spec;
  const std::lock_guard lock(mutex_);
  runtimes_.insert_or_assign(Key{kind, meta["namespace"].text(), meta["name"].text()},
                             std::make_shared<const json>(std::move(kept)));
}

void RuntimeBook::removed(const std::string& kind, const std::string& ns, const std::string& name) {
  const std::lock_guard lock(mutex_);
  runtimes_.erase({kind, ns, name});
}

void RuntimeBook::forget(const std::string& kind) {
  const std::lock_guard lock(mutex_);
  std::erase_if(runtimes_, [&kind](const auto& entry) { return std::get<0>(entry.first) == kind; });
}

std::shared_ptr<const json> RuntimeBook::of(const json& train_job, const std::string& ns) const {
  const launch::Field root(train_job);
  if (root["kind"].text() != "TrainJob" || !root["apiVersion"].text().starts_with(std::string(kGroup) + "/")) return {};
  const launch::Field reference = root["spec"]["runtimeRef"];
  // Defaults of the CRD.
  if (reference["apiGroup"].text(kGroup) != kGroup) return {};
  const std::string kind = reference["kind"].text("ClusterTrainingRuntime");
  const std::lock_guard lock(mutex_);
  const auto found =
      runtimes_.find({kind, kind == "ClusterTrainingRuntime" ? std::string() : ns, reference["name"].text()});
  return found == runtimes_.end() ? nullptr : found->second;
}

std::size_t RuntimeBook::size() const {
  const std::lock_guard lock(mutex_);
  return runtimes_.size();
}

}  // namespace rollcall::webhook
