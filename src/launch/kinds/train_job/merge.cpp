#include "launch/kinds/train_job/merge.h"

#include <utility>

#include "launch/document/field.h"
#include "launch/document/path.h"
#include "launch/kinds/train_job/given.h"
#include "launch/kinds/train_job/lay_over.h"
#include "launch/merged.h"

namespace rollcall::launch::train_job {
namespace {

using Json = nlohmann::json;

const std::string kTemplate = std::string(kMerged) + ".spec.template.spec";

/// The template's replicated jobs; nullptr when there is no such list.
Json* jobs_of(Json& runtime) {
  Json* at = &runtime;
  for (const char* key : {"spec", "template", "spec", "replicatedJobs"}) {
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
  }
  return at->is_array() ? at : nullptr;
}

/// Below `job`, with what is missing on the way made. nullptr where something else stands in the way.
Json* below(Json& job, std::initializer_list<const char*> keys) {
  Json* at = &job;
  for (const char* key : keys) {
    if (at->is_null()) *at = Json::object();
    if (!at->is_object()) return nullptr;
    at = &(*at)[key];
  }
  return at;
}

class Merge {
 public:
  Merge(const Json& runtime, const Json& job) : runtime_(runtime), job_(job) {}

  Merged run() {
    patches();
    for (const char* list : {"podTemplateOverrides", "podSpecOverrides"}) overrides(list);
    trainer();
    Json whole = Json::object();
    whole[kMerged] = std::move(runtime_);
    return {std::make_shared<const Json>(std::move(whole)), std::move(written_)};
  }

 private:
  void lay(Json* under, const std::string& under_path, const Field& over) {
    if (under != nullptr && over.present()) lay_over({*under, under_path, over.json(), over.path()}, written_);
  }

  void patches() {
    const Field list = Field(job_)["spec"]["runtimePatches"];
    for (std::size_t i = 0; i < list.size(); ++i) {
      Json* under = below(runtime_, {"spec", "template", "spec"});
      lay(under, kTemplate, list[i]["trainingRuntimeSpec"]["template"]["spec"]);
    }
  }

  void overrides(const char* name) {
    const Field list = Field(job_)["spec"][name];
    Json* jobs = jobs_of(runtime_);
    for (std::size_t i = 0; jobs != nullptr && i < list.size(); ++i) {
      // 2.0 wrote the fields of a pod's spec beside targetJobs, 2.1 under spec.
      const Field over = std::string_view(name) == "podTemplateOverrides" ? list[i]["spec"] : list[i];
      for (std::size_t k = 0; k < list[i]["targetJobs"].size(); ++k) {
        const std::string target = list[i]["targetJobs"][k]["name"].text();
        for (std::size_t at = 0; at < jobs->size(); ++at)
          if (Field((*jobs)[at])["name"].text() == target) override_pod((*jobs)[at], at, over);
      }
    }
  }

  void override_pod(Json& job, std::size_t at, const Field& over) {
    Json* pod = below(job, {"template", "spec", "template", "spec"});
    if (pod == nullptr || !over.is_object()) return;
    Json fields = over.json();
    fields.erase("targetJobs");
    lay_over(
        {*pod, child(child(kTemplate, "replicatedJobs"), at) + ".template.spec.template.spec", fields, over.path()},
        written_);
  }

  void trainer() {
    const Field spec = Field(job_)["spec"]["trainer"];
    Json* jobs = jobs_of(runtime_);
    if (!spec.is_object() || jobs == nullptr) return;
    const Field policy = Field(runtime_)["spec"]["mlPolicy"];
    const bool has_policy = policy.is_object();
    const Field as_node = policy["mpi"]["runLauncherAsNode"];
    const bool launcher_is_node = as_node.is_bool() && as_node.json().get<bool>();
    for (std::size_t i = 0; i < jobs->size(); ++i) {
      const Field job((*jobs)[i]);
      const bool trains = job["template"]["metadata"]["labels"][kStepLabel].text() == kTrainerStep;
      const bool node_beside_launcher = launcher_is_node && job["name"].text() == kNode;
      if (!trains && !node_beside_launcher) continue;
      Json* list = below((*jobs)[i], {"template", "spec", "template", "spec", "containers"});
      for (std::size_t k = 0; list != nullptr && list->is_array() && k < list->size(); ++k) {
        if (Field((*list)[k])["name"].text() != kNode) continue;
        const std::string path =
            child(child(child(kTemplate, "replicatedJobs"), i) + ".template.spec.template.spec.containers", k);
        container((*list)[k], path, spec, trains, (trains && has_policy) || node_beside_launcher);
        if (trains && policy["torch"].is_object() && is_torchtune(Field(job_))) torchtune((*list)[k]["command"]);
      }
    }
  }

  void container(Json& container, const std::string& path, const Field& spec, bool trains, bool resources) {
    if (trains) {
      for (const char* name : {"image", "command", "args"})
        if (spec[name].present())
          lay_over({container[name] = nullptr, child(path, name), spec[name].json(), spec[name].path()}, written_);
    }
    if (spec["env"].is_array())
      lay_over_env({container["env"], child(path, "env"), spec["env"].json(), spec["env"].path()}, written_);
    if (resources && spec["resourcesPerNode"].is_object()) {
      Json& under = container["resources"];
      if (!under.is_object()) under = Json::object();
      lay(&under, child(path, "resources"), spec["resourcesPerNode"]);
    }
    // What nobody wrote would be written in the TrainJob.
    for (const auto& [name, own] : {std::pair{"image", "image"},
                                    {"command", "command"},
                                    {"args", "args"},
                                    {"env", "env"},
                                    {"resources", "resourcesPerNode"}}) {
      if (!Field(container)[name].present()) written_.push_back({child(path, name), spec[own].path()});
    }
    for (const char* list : {"limits", "requests"}) {
      if (!Field(container)["resources"][list].present())
        written_.push_back({child(child(path, "resources"), list), spec["resourcesPerNode"][list].path()});
    }
  }

  /// `tune run` alone gets where to meet, and the recipe, from the controller.
  void torchtune(Json& command) {
    const std::string name = Field(job_)["metadata"]["name"].text();
    command.push_back("--rdzv_endpoint=" + (name.empty() ? "$(NODE_0)" : name + "-" + kNode + "-0-0." + name) +
                      ":29500");
    command.push_back("recipe");
  }

  Json runtime_;
  const Json& job_;
  std::vector<Written> written_;
};

}  // namespace

Merged merge(const nlohmann::json& runtime, const nlohmann::json& train_job) { return Merge(runtime, train_job).run(); }

}  // namespace rollcall::launch::train_job
