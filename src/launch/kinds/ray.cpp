// RayCluster and RayJob of KubeRay: a head and groups of workers. `ray start` is put behind the container's own
// command, and what trains is decided by the program that Ray runs: no launcher is read, only the pods.
#include "launch/kinds/ray.h"

#include <algorithm>
#include <utility>

#include "launch/kinds/accelerators.h"
#include "launch/kinds/other_kinds.h"
#include "launch/kinds/pods.h"
#include "launch/kinds/shape.h"

namespace rollcall::launch {
namespace {

RayGroup group_of(const Field& spec, std::string name, bool head) {
  return {std::move(name), head, spec, spec["template"]["spec"]["containers"][0], Fact<int>::of(1, spec.path())};
}

/// As the controller counts them: replicas within minReplicas and maxReplicas, times numOfHosts.
Fact<int> pods_of(const Field& group) {
  const Fact<int> hosts = count_of(group["numOfHosts"], 1);
  const Fact<int> least = count_of(group["minReplicas"], 0);
  const Field replicas = group["replicas"].present() ? group["replicas"] : group["minReplicas"];
  const Fact<int> wanted = count_of(replicas, 0);
  const Field most = group["maxReplicas"];
  if (!hosts.known() || !least.known() || !wanted.known() || (most.present() && !count_of(most, 0).known()))
    return Fact<int>::unknown("replicas is no number of pods", replicas.path());
  int count = std::max(*wanted, *least);
  if (most.present()) count = std::min(count, *count_of(most, 0));
  const long long pods = static_cast<long long>(count) * *hosts;
  if (pods > 1'000'000) return Fact<int>::unknown("is no number of pods", replicas.path());
  return Fact<int>::of(static_cast<int>(pods), replicas.path());
}

Launch read(const nlohmann::json& object, const Context& around, JobKind kind) {
  Launch launch = launch_of(object, kind, around);
  for (const RayGroup& group : ray_groups(launch)) {
    Role role = read_role({group.head ? "head" : group.spec["groupName"].text(),
                           group.spec["template"],
                           group.container["name"].text(),
                           {},
                           false},
                          launch);
    // What stands in the container is run before `ray start`, not instead of it.
    const std::string path = role.command.launcher.path();
    role.command = {Fact<std::string>::unknown("Ray decides what runs where", path)};
    role.told = {};
    role.processes_per_node = Fact<int>::unknown("Ray decides how many processes start", path);
    role.pods = group.pods;
    role.nodes = Fact<int>::unknown("the program decides which pods are one world", group.spec.path());
    role.leads = group.head;
    launch.roles.push_back(std::move(role));
  }
  return launch;
}

}  // namespace

Field ray_cluster_spec(const Launch& launch) {
  return launch.kind == JobKind::ray_job ? launch.root["spec"]["rayClusterSpec"] : launch.root["spec"];
}

std::vector<RayGroup> ray_groups(const Launch& launch) {
  std::vector<RayGroup> groups;
  const Field spec = ray_cluster_spec(launch);
  if (spec["headGroupSpec"].is_object()) groups.push_back(group_of(spec["headGroupSpec"], "the head", true));
  const Field workers = spec["workerGroupSpecs"];
  for (std::size_t i = 0; i < workers.size(); ++i) {
    groups.push_back(group_of(workers[i], "worker group `" + workers[i]["groupName"].text("?") + "`", false));
    groups.back().pods = pods_of(workers[i]);
  }
  return groups;
}

Fact<int> ray_gpus(const RayGroup& group) {
  if (const Field field = group.spec["rayStartParams"]["num-gpus"]; field.present()) {
    const auto number = field.is_string() ? whole_number(field.text()) : std::nullopt;
    return number ? Fact<int>::of(*number, field.path()) : Fact<int>::unknown("is no plain number", field.path());
  }
  // KubeRay lets these replace what it counts; which of them are GPUs goes by their names.
  if (const Field own = group.spec["resources"]; own.is_object() && !own.json().empty())
    return Fact<int>::unknown("the group's resources decide it", own.path());
  return accelerators_of(group.container).count;
}

std::optional<Launch> read_ray_cluster(const nlohmann::json& object, const Context& around) {
  return read(object, around, JobKind::ray_cluster);
}

std::optional<Launch> read_ray_job(const nlohmann::json& object, const Context& around) {
  return read(object, around, JobKind::ray_job);
}

}  // namespace rollcall::launch
