#include "launch/kinds/pod_types.h"

#include <fmt/format.h>

#include <string>

#include "launch/kinds/ray.h"

namespace rollcall::launch {
namespace {

std::string shown(const Field& field) {
  const std::string text = field.json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

void refuse(const Field& field, const char* takes, std::string fix, Launch& launch) {
  launch.shape.push_back({ShapeProblem::Kind::wrong_type,
                          field.path(),
                          fmt::format("`{}` is no {}, which the field takes.", shown(field), takes),
                          std::move(fix),
                          {}});
}

void want_string(const Field& field, Launch& launch) {
  if (!field.present() || field.is_string() || field.is_object() || field.is_array()) return;
  refuse(field, "string", fmt::format("Write \"{}\", in quotes.", shown(field)), launch);
}

void look_at_container(const Field& container, Launch& launch) {
  for (const char* list : {"command", "args"})
    for (std::size_t i = 0; i < container[list].size(); ++i) want_string(container[list][i], launch);
  for (std::size_t i = 0; i < container["env"].size(); ++i) want_string(container["env"][i]["value"], launch);
}

/// Flags of `ray start`, which KubeRay takes as text.
void look_at_ray(Launch& launch) {
  for (const RayGroup& group : ray_groups(launch)) {
    const Field flags = group.spec["rayStartParams"];
    if (!flags.is_object()) continue;
    for (const auto& [name, value] : flags.json().items()) want_string(flags[name], launch);
  }
}

}  // namespace

void find_wrong_types(Launch& launch) {
  // What a runtime says is looked at where it stands itself.
  if (launch.kind == JobKind::train_job) return look_at_container(launch.root["spec"]["trainer"], launch);
  if (launch.kind == JobKind::ray_cluster || launch.kind == JobKind::ray_job) look_at_ray(launch);
  for (const Role& role : launch.roles) {
    const Field pod = role.pod_template["spec"];
    for (const char* name : {"hostNetwork", "hostIPC", "hostPID"}) {
      const Field field = pod[name];
      if (field.is_string()) refuse(field, "truth value", "Write true or false, without quotes.", launch);
    }
    for (const char* list : {"initContainers", "containers"})
      for (std::size_t i = 0; i < pod[list].size(); ++i) look_at_container(pod[list][i], launch);
  }
  if (launch.kind == JobKind::pytorch_job) want_string(launch.root["spec"]["nprocPerNode"], launch);
}

}  // namespace rollcall::launch
