#include "launch/pod/clashes.h"

#include <initializer_list>
#include <string>

#include "api/names.h"

namespace rollcall::launch {

using nlohmann::json;
namespace names = api::names;

namespace {

constexpr auto kSpec = "spec.template.spec";

Error at(const std::string& path, const std::string& what) { return {path + ": " + what, "Clash"}; }

std::string text(const json& object, const char* field) {
  const auto found = object.is_object() ? object.find(field) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Lists of objects, so that what follows may index them; `list` may be absent.
std::optional<Error> not_a_list(const json& spec, const char* list) {
  const auto found = spec.find(list);
  if (found == spec.end() || found->is_null()) return std::nullopt;
  const auto path = std::string(kSpec) + "." + list;
  if (!found->is_array()) return at(path, std::string("must be a list, is ") + found->type_name());
  for (std::size_t i = 0; i < found->size(); ++i) {
    if (!(*found)[i].is_object()) return at(path + "[" + std::to_string(i) + "]", "must be an object");
  }
  return std::nullopt;
}

/// The list as it stands; an empty one for everything else. No copy: pod templates are large.
const json& list_in(const json& object, const char* field) {
  static const json kNone = json::array();
  if (!object.is_object()) return kNone;
  const auto found = object.find(field);
  return found != object.end() && found->is_array() ? *found : kNone;
}

std::optional<Clash> name_taken(const json& spec, const char* list, std::initializer_list<const char*> ours,
                                const char* what) {
  const json& items = list_in(spec, list);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto name = text(items[i], "name");
    for (const char* taken : ours) {
      if (name == taken) {
        return Clash{std::string(kSpec) + "." + list + "[" + std::to_string(i) + "].name",
                     "`" + name + "` is the name of a " + what + " that Rollcall adds to every pod.",
                     "Give yours another name."};
      }
    }
  }
  return std::nullopt;
}

std::optional<Clash> mount_taken(const json& trainer, std::size_t index) {
  const json& mounts = list_in(trainer, "volumeMounts");
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    auto path = text(mounts[i], "mountPath");
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    // At, above or below /rollcall: above it ours would be hidden or land in the user's volume.
    if (path == "/" || path == "/rollcall" || path.starts_with("/rollcall/")) {
      return Clash{std::string(kSpec) + ".containers[" + std::to_string(index) + "].volumeMounts[" + std::to_string(i) +
                       "].mountPath",
                   "`" + path + "` covers /rollcall, where the probe finds its files.", "Mount the volume elsewhere."};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Clash> taken_in(const json& spec, std::size_t trainer_index) {
  if (!spec.is_object()) return std::nullopt;
  for (const char* list : {"containers", "initContainers"}) {
    if (auto clash = name_taken(spec, list, {names::kInstaller, names::kProbe}, "container")) return clash;
  }
  if (auto clash = name_taken(spec, "volumes", {names::kVolumeBin, names::kVolumeToken, names::kVolumePod}, "volume"))
    return clash;
  const json& containers = list_in(spec, "containers");
  if (trainer_index < containers.size()) {
    if (auto clash = mount_taken(containers[trainer_index], trainer_index)) return clash;
  }
  if (const auto policy = text(spec, "restartPolicy"); !policy.empty() && policy != "Never") {
    return Clash{std::string(kSpec) + ".restartPolicy",
                 "`" + policy + "` would start a trainer anew inside its pod, while the others wait for the old one.",
                 "Leave it out."};
  }
  return std::nullopt;
}

std::optional<Error> clash_in(const json& pod_template, const Plan& plan) {
  const auto spec = pod_template.value("spec", json::object());
  if (!spec.is_object()) return at(kSpec, std::string("must be an object, is ") + spec.type_name());
  for (const char* list : {"containers", "initContainers", "volumes"}) {
    if (auto error = not_a_list(spec, list)) return error;
  }
  const auto containers = spec.value("containers", json::array());
  if (plan.trainer_index >= containers.size()) {
    return at(std::string(kSpec) + ".containers",
              "has no item " + std::to_string(plan.trainer_index) + " to be the trainer");
  }
  const auto& trainer = containers[plan.trainer_index];
  for (const char* list : {"env", "volumeMounts"}) {
    // Kubernetes reads a null as absent: `env:` with nothing below it, as charts print.
    if (trainer.contains(list) && !trainer[list].is_null() && !trainer[list].is_array()) {
      return at(std::string(kSpec) + ".containers[" + std::to_string(plan.trainer_index) + "]." + list,
                "must be a list");
    }
  }
  if (const auto clash = taken_in(spec, plan.trainer_index)) return at(clash->path, clash->message + " " + clash->fix);
  return std::nullopt;
}

}  // namespace rollcall::launch
