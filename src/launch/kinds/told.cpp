#include "launch/kinds/told.h"

#include <algorithm>
#include <string>

#include "launch/address.h"
#include "launch/kinds/accelerators.h"
#include "launch/kinds/shape.h"

namespace rollcall::launch {
namespace {

/// A value somebody tells, and where it stands. Not given: text is empty and `path` too.
struct Source {
  bool given = false;
  Text text;
  std::string path;
  std::string what;  ///< begins a sentence: "--nnodes: ", "env PET_NNODES: "
};

/// The flag, else the last env entry of the name; empty names are none.
Source source_of(const Command& command, const std::string& flag, const std::string& name) {
  if (const Flag* found = flag.empty() ? nullptr : command.flag(flag))
    return {true, found->value, found->path, found->spelled + ": "};
  const auto entry =
      std::find_if(command.env.rbegin(), command.env.rend(), [&name](const EnvEntry& one) { return one.name == name; });
  if (name.empty() || entry == command.env.rend()) return {};
  return {true, entry->value, entry->value_path, "env " + name + ": "};
}

Fact<int> number_of(const Source& source) {
  if (!source.given) return {};
  if (!source.text.known()) return Fact<int>::unknown(source.text.reason, source.path);
  if (const auto number = whole_number(source.text.text)) return Fact<int>::of(*number, source.path);
  return Fact<int>::unknown("`" + source.text.text + "` is no whole number", source.path);
}

/// `4`, or `1:4` for an elastic job.
void read_nodes(const Source& source, Told& told) {
  const std::size_t colon = source.text.text.find(':');
  Source most = source, least = source;
  if (source.given && source.text.known() && colon != std::string::npos) {
    least.text = source.text.part(0, colon);
    most.text = source.text.part(colon + 1);
  }
  told.nodes = number_of(most);
  told.least_nodes = number_of(least);
}

void read_rank(const Source& source, Told& told) {
  if (!source.given) return;
  told.node_rank = source.text.fact(source.path);
  told.rank_variable = source.text.variable();
}

void read_port(const Source& from, const Text& text, Told& told) {
  if (!from.given || !text.known()) return;
  if (const auto number = whole_number(text.text)) told.port = Fact<long long>::of(*number, from.path);
}

void read_master(const Source& source, bool with_port, Told& told) {
  if (!source.given) return;
  told.master_what = source.what;
  if (!with_port) {
    told.master = source.text.fact(source.path);
    told.master_otherwise = source.text.fallen_back();
    return;
  }
  const Endpoint endpoint = endpoint_of(source.text);
  told.master = endpoint.host.fact(source.path);
  told.master_otherwise = endpoint.host.fallen_back();
  if (endpoint.port) read_port(source, *endpoint.port, told);
}

/// torchrun's count: a number, or `auto` and `gpu` for the devices of the container; 1 when nobody says.
Fact<int> torchrun_processes(const Role& role) {
  const Source source = source_of(role.command, "--nproc-per-node", "PET_NPROC_PER_NODE");
  if (!source.given && role.container["envFrom"].present())
    return Fact<int>::unknown("PET_NPROC_PER_NODE may stand in an object that envFrom names",
                              role.command.launcher.path());
  if (!source.given) return Fact<int>::of(1, role.command.launcher.path());
  if (source.text.known() && (source.text.text == "auto" || source.text.text == "gpu") && role.gpus_per_pod.known() &&
      *role.gpus_per_pod > 0 && has_room_for_one(role.gpu_resource))
    return Fact<int>::of(*role.gpus_per_pod, source.path);
  return number_of(source);
}

void torchrun(Role& role) {
  const Command& command = role.command;
  Told& told = role.told;
  role.processes_per_node = torchrun_processes(role);
  read_nodes(source_of(command, "--nnodes", "PET_NNODES"), told);
  read_rank(source_of(command, "--node-rank", "PET_NODE_RANK"), told);
  const Source backend = source_of(command, "--rdzv-backend", "PET_RDZV_BACKEND");
  told.rendezvous =
      backend.given ? backend.text.fact(backend.path) : Fact<std::string>::of("static", command.launcher.path());
  if (command.flag("--standalone") != nullptr) return;
  const Source endpoint = source_of(command, "--rdzv-endpoint", "PET_RDZV_ENDPOINT");
  read_master(endpoint, true, told);
  if (endpoint.given || (told.rendezvous.known() && *told.rendezvous != "static")) return;
  read_master(source_of(command, "--master-addr", "PET_MASTER_ADDR"), false, told);
  const Source port = source_of(command, "--master-port", "PET_MASTER_PORT");
  read_port(port, port.text, told);
}

void accelerate(Role& role) {
  const Command& command = role.command;
  Told& told = role.told;
  read_nodes(source_of(command, "--num-machines", ""), told);
  read_rank(source_of(command, "--machine-rank", ""), told);
  const Source backend = source_of(command, "--rdzv-backend", "");
  told.rendezvous =
      backend.given ? backend.text.fact(backend.path) : Fact<std::string>::of("static", command.launcher.path());
  read_master(source_of(command, "--main-process-ip", ""), false, told);
  const Source port = source_of(command, "--main-process-port", "");
  read_port(port, port.text, told);
  const Source total = source_of(command, "--num-processes", "");
  const Fact<int> processes = number_of(total);
  // The total over all machines. Without the flag a config file decides, or accelerate counts the devices.
  const bool one_machine = !told.nodes.given() && command.flag("--config-file") == nullptr;
  if (processes.known() && (one_machine || (told.nodes.known() && *told.nodes > 0 && *processes % *told.nodes == 0)))
    role.processes_per_node = Fact<int>::of(*processes / (one_machine ? 1 : *told.nodes), total.path);
}

/// deepspeed's own flags count only where it starts nothing over ssh.
void deepspeed(Role& role) {
  const Command& command = role.command;
  if (command.flag("--no-ssh") == nullptr) return;
  Told& told = role.told;
  read_nodes(source_of(command, "--num-nodes", ""), told);
  read_rank(source_of(command, "--node-rank", ""), told);
  read_master(source_of(command, "--master-addr", ""), false, told);
  told.rendezvous = Fact<std::string>::of("static", command.launcher.path());
  role.processes_per_node = number_of(source_of(command, "--num-gpus", ""));
}

/// The name under which a Lightning or NeMo program takes a setting of its trainer: by Hydra, or by its own CLI.
std::string trainer_flag(const Command& command, const std::string& setting) {
  return command.flag("trainer." + setting) != nullptr ? "trainer." + setting : "--trainer." + setting;
}

/// Lightning starts the processes of its node by itself and takes NODE_RANK, else GROUP_RANK, and MASTER_ADDR from the
/// environment (lightning/fabric/plugins/environments/lightning.py). What is not written may be set by the program.
bool lightning(Role& role) {
  const Command& command = role.command;
  const Source nodes = source_of(command, trainer_flag(command, "num-nodes"), "");
  const Source devices = source_of(command, trainer_flag(command, "devices"), "");
  if (!nodes.given && !devices.given) return false;
  for (const char* name : {"RANK", "LOCAL_RANK"})
    if (source_of(command, "", name).given) return false;
  read_nodes(nodes, role.told);
  Source rank = source_of(command, "", "NODE_RANK");
  if (!rank.given) rank = source_of(command, "", "GROUP_RANK");
  read_rank(rank, role.told);
  read_master(source_of(command, "", "MASTER_ADDR"), false, role.told);
  const Fact<int> processes = number_of(devices);
  if (processes.known() && *processes > 0) role.processes_per_node = processes;
  return true;
}

/// A python program. Only what is complete counts: `WORLD_SIZE` alone may be of a world within the pod.
void python(Role& role) {
  const Command& command = role.command;
  Told& told = role.told;
  if (command.flag("--dist-init-addr") != nullptr) {
    read_nodes(source_of(command, "--nnodes", ""), told);
    read_rank(source_of(command, "--node-rank", ""), told);
    read_master(source_of(command, "--dist-init-addr", ""), true, told);
    return;
  }
  if (const Source coordinator = source_of(command, "", "JAX_COORDINATOR_ADDRESS"); coordinator.given) {
    role.command.launcher = Fact<std::string>::of("jax", command.launcher.path());
    read_nodes(source_of(command, "", "JAX_NUM_PROCESSES"), told);
    read_rank(source_of(command, "", "JAX_PROCESS_ID"), told);
    read_master(coordinator, true, told);
    return;
  }
  if (lightning(role)) return;
  const Source rank = source_of(command, "", "RANK");
  const Source size = source_of(command, "", "WORLD_SIZE");
  const Source master = source_of(command, "", "MASTER_ADDR");
  if (!rank.given || !size.given || !master.given) return;
  read_nodes(size, told);
  read_rank(rank, told);
  read_master(master, false, told);
}

}  // namespace

void read_told(Role& role) {
  role.processes_per_node = Fact<int>::unknown("how many processes start is not written", role.command.launcher.path());
  if (!role.command.launcher.known()) return;
  const std::string launcher = *role.command.launcher;
  if (launcher == "torchrun" || launcher == "tune") torchrun(role);
  if (launcher == "accelerate") accelerate(role);
  if (launcher == "deepspeed") deepspeed(role);
  if (launcher == "none") python(role);
}

}  // namespace rollcall::launch
