#include "launch/kinds/training_job.h"

#include <utility>

#include "launch/document/field.h"
#include "launch/handed_over.h"
#include "launch/kinds/accelerators.h"
#include "launch/kinds/addresses.h"
#include "launch/kinds/ignored.h"
#include "launch/kinds/mounted_files.h"
#include "launch/kinds/shape.h"
#include "launch/kinds/trainer.h"
#include "launch/launchers/command.h"
#include "launch/pod/clashes.h"

namespace rollcall::launch {
namespace {

ObjectName name_of(const Field& object) {
  const Field meta = object["metadata"];
  return {object["apiVersion"].text(), object["kind"].text(), meta["namespace"].text(), meta["name"].text()};
}

/// The launcher's own count: a number, or `auto` and `gpu` for the devices of the container (torchrun counts them).
Fact<int> processes_by_flag(const Role& role) {
  const Flag* flag = role.command.flag("--nproc-per-node");
  if (flag == nullptr) return {};
  const Fact<std::string> text = flag->value.fact(flag->path);
  if (!text.known()) return Fact<int>::unknown(text.reason(), flag->path);
  if (const auto number = whole_number(*text)) return Fact<int>::of(*number, flag->path);
  const bool devices = *text == "auto" || *text == "gpu";
  if (devices && role.gpus_per_pod.known() && *role.gpus_per_pod > 0 && has_room_for_one(role.gpu_resource))
    return Fact<int>::of(*role.gpus_per_pod, flag->path);
  return Fact<int>::unknown("`" + *text + "` is counted at run time", flag->path);
}

Fact<int> processes_of(const Launch& launch, const Role& role, const Field& spec) {
  const Fact<int> flag = processes_by_flag(role);
  if (flag.known()) return flag;
  if (launch.processes.given()) return launch.processes;
  if (flag.given()) return flag;
  const std::string path = spec["nprocPerNode"].path();  // a copy: the field is a temporary
  if (role.command.launcher.known() && *role.command.launcher == "jax") return Fact<int>::of(1, path);
  if (!role.gpus_per_pod.known()) return Fact<int>::unknown(role.gpus_per_pod.reason(), path);
  return Fact<int>::of(*role.gpus_per_pod > 0 ? *role.gpus_per_pod : 1, path);
}

/// What a TrainingJob has no launcher for starts what it likes where it likes.
Command known_here(Command command) {
  const auto& launcher = command.launcher;
  if (launcher.known() &&
      (*launcher == "mpirun" || *launcher == "tune" || *launcher == "srun" || *launcher == "horovodrun"))
    command.launcher =
        Fact<std::string>::unknown("`" + command.program + "` decides by itself what it starts where", launcher.path());
  if (!launcher.known() || *launcher != "torchrun") command.flags.clear();
  return command;
}

void read_container(const Field& spec, const Field& container, Launch& launch, Role& role) {
  role.container = container;
  const ConfigMaps maps{launch.around, launch.object.namespace_name};
  role.trainer_name = container["name"].text();
  role.env = read_env(container, handed_over_env(), maps);
  role.command = known_here(
      read_command(container, role.env, handed_over_env(), MountedFiles(container, spec["template"]["spec"], maps)));
  const Accelerators devices = accelerators_of(container);
  role.gpus_per_pod = devices.count;
  role.gpu_resource = devices.resource;
  if (const Fact<std::string> stated = read_launcher(spec["launcher"], launch.shape); stated.known()) {
    role.command.launcher = stated;
    // Flags are read as torchrun's; another launcher's would only look like them.
    if (*stated != "torchrun") role.command.flags.clear();
  }
}

}  // namespace

bool is_training_job(const nlohmann::json& object) {
  const Field root(object);
  return root["kind"].text() == "TrainingJob" && root["apiVersion"].text().starts_with("rollcall.dev/");
}

Launch read_training_job(const nlohmann::json& object, const Context* around) {
  const Field root(object);
  const Field spec = root["spec"];
  Launch launch;
  launch.root = root;
  launch.around = around;
  launch.object = name_of(root);
  launch.ignored = read_ignored(root);
  Role role;
  role.nodes = read_count(spec["nnodes"], Need::required, launch.shape);
  role.pods = role.nodes;
  if (spec["nprocPerNode"].text() != "auto") {
    launch.processes = read_count(spec["nprocPerNode"], Need::optional, launch.shape);
  }
  launch.world_size = read_count(spec["worldSize"], Need::optional, launch.shape);
  read_structure(root, launch.shape);

  role.pod_template = spec["template"];
  const Field pod = role.pod_template["spec"];
  role.host_network = pod["hostNetwork"].is_bool() && pod["hostNetwork"].json().get<bool>();
  role.trainer = trainer_of(spec, launch.shape);
  if (role.trainer.known()) {
    read_container(spec, pod["containers"][*role.trainer], launch, role);
    if (auto clash = taken_in(pod.json(), *role.trainer))
      launch.shape.push_back({ShapeProblem::Kind::clash, clash->path, clash->message, clash->fix, ""});
  } else {
    role.gpus_per_pod = Fact<int>::unknown(role.trainer.reason(), role.trainer.path());
  }
  role.processes_per_node = processes_of(launch, role, spec);
  launch.roles.push_back(std::move(role));
  read_addresses(spec["rendezvous"], launch);
  return launch;
}

}  // namespace rollcall::launch
