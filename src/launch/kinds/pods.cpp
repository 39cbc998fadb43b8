#include "launch/kinds/pods.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "launch/kinds/accelerators.h"
#include "launch/kinds/ignored.h"
#include "launch/kinds/mounted_files.h"
#include "launch/kinds/told.h"
#include "launch/launchers/command.h"

namespace rollcall::launch {
namespace {

std::optional<std::size_t> trainer_of(const Field& containers, std::string_view preferred) {
  std::vector<std::size_t> asking;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (!preferred.empty() && containers[i]["name"].text() == preferred) return i;
    const Fact<int> count = accelerators_of(containers[i]).count;
    if (!count.known() || *count > 0) asking.push_back(i);
  }
  if (asking.size() == 1) return asking[0];
  if (containers.size() == 1) return 0;
  return std::nullopt;
}

/// Largest count of pods that is a count: more is a slip of the pen, and products of two must stay an int.
constexpr long long kMostPods = 100'000;

}  // namespace

EnvEntry given(std::string_view name, std::string_view text, std::string_view path) {
  return {std::string(name), Text{std::string(text), {}}, std::string(path), std::string(path)};
}

EnvEntry given_at_run_time(std::string_view name, std::string_view who) {
  return {std::string(name), Text::open("`" + std::string(name) + "` is set by the " + std::string(who), name), {}, {}};
}

Fact<int> count_of(const Field& field, int otherwise) {
  if (!field.present()) return Fact<int>::of(otherwise, field.path());
  if (!field.is_integer()) return Fact<int>::unknown("is no whole number", field.path());
  const bool huge = field.json().is_number_unsigned() && field.json().get<std::uint64_t>() > kMostPods;
  if (huge || field.json().get<std::int64_t>() < 0 || field.json().get<std::int64_t>() > kMostPods)
    return Fact<int>::unknown("is no number of pods", field.path());
  return Fact<int>::of(field.json().get<int>(), field.path());
}

Role read_role(const RoleSource& source, const Launch& launch) {
  Role role;
  role.name = source.name;
  role.pod_template = source.pod_template;
  const Field pod = source.pod_template["spec"];
  role.host_network = pod["hostNetwork"].is_bool() && pod["hostNetwork"].json().get<bool>();
  const Field containers = pod["containers"];
  const auto trainer = trainer_of(containers, source.container);
  if (!trainer) {
    const std::string reason = "which container trains is open";
    role.trainer = Fact<std::size_t>::unknown(reason, containers.path());
    role.command.launcher = Fact<std::string>::unknown(reason, containers.path());
    role.gpus_per_pod = role.processes_per_node = Fact<int>::unknown(reason, containers.path());
    return role;
  }
  role.container = containers[*trainer];
  role.trainer = Fact<std::size_t>::of(*trainer, role.container.path());
  role.trainer_name = role.container["name"].text();
  const ConfigMaps maps{launch.around, launch.object.namespace_name};
  std::vector<EnvEntry> names = source.given;
  if (!source.given_wins) {
    const auto own = read_env(role.container, {}, maps);
    std::erase_if(names, [&own](const EnvEntry& entry) {
      return std::any_of(own.begin(), own.end(), [&](const EnvEntry& other) { return other.name == entry.name; });
    });
  }
  role.env = read_env(role.container, names, maps);
  role.command = read_command(role.container, role.env, names, MountedFiles(role.container, pod, maps));
  const Accelerators devices = accelerators_of(role.container);
  role.gpus_per_pod = devices.count;
  role.gpu_resource = devices.resource;
  read_told(role);
  return role;
}

Launch launch_of(const nlohmann::json& object, JobKind kind, const Context& around) {
  Launch launch;
  launch.around = &around;
  launch.root = Field(object);
  launch.kind = kind;
  const Field meta = launch.root["metadata"];
  launch.object = {launch.root["apiVersion"].text(), launch.root["kind"].text(), meta["namespace"].text(),
                   meta["name"].text()};
  launch.ignored = read_ignored(launch.root);
  return launch;
}

Field job_spec_of(const Launch& launch, std::size_t role) {
  const Field spec = launch.root["spec"];
  return launch.kind == JobKind::batch_job ? spec : spec["replicatedJobs"][role]["template"]["spec"];
}

bool trains(const Launch& launch) {
  return std::any_of(launch.roles.begin(), launch.roles.end(), [](const Role& role) {
    const auto& launcher = role.command.launcher;
    const bool starts = launcher.known() && *launcher != "none";
    const bool devices = role.container.present() && (!role.gpus_per_pod.known() || *role.gpus_per_pod > 0);
    return starts || devices || role.told.nodes.given() || role.told.master.given();
  });
}

}  // namespace rollcall::launch
