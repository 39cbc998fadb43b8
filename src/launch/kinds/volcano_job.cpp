// Volcano's Job: tasks with plugins. The plugin `pytorch` gives MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE, the last
// two of pods, to regular containers; `env` gives VK_TASK_INDEX and VC_TASK_INDEX; `svc` host lists.
#include <string>

#include "launch/kinds/other_kinds.h"
#include "launch/kinds/pods.h"

namespace rollcall::launch {
namespace {

constexpr auto kWho = "Volcano controller";

std::string option_of(const Field& plugin, const std::string& name, std::string otherwise) {
  for (std::size_t i = 0; i < plugin.size(); ++i) {
    const std::string argument = plugin[i].text();
    if (argument.starts_with("--" + name + "=")) return argument.substr(name.size() + 3);
  }
  return otherwise;
}

}  // namespace

std::optional<Launch> read_volcano_job(const nlohmann::json& object, const Context& around) {
  Launch launch = launch_of(object, JobKind::volcano_job, around);
  const Field spec = launch.root["spec"];
  const Field tasks = spec["tasks"];
  const Field pytorch = spec["plugins"]["pytorch"];
  const std::string master = option_of(pytorch, "master", "master");
  const std::string worker = option_of(pytorch, "worker", "worker");
  std::vector<EnvEntry> names;
  int sum = 0;
  bool known = pytorch.present();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string name = tasks[i]["name"].text();
    if (name != master && name != worker) continue;
    const Fact<int> count = count_of(tasks[i]["replicas"], 1);
    known = known && count.known();
    sum += count.known() ? *count : 0;
  }
  if (pytorch.present())
    for (const char* name : {"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE"})
      names.push_back(given_at_run_time(name, kWho));
  if (spec["plugins"]["env"].present())
    for (const char* name : {"VK_TASK_INDEX", "VC_TASK_INDEX"}) names.push_back(given_at_run_time(name, kWho));
  launch.nodes_decided = known;
  launch.index_variable = "VC_TASK_INDEX";
  launch.rank_advice = "Write `$(RANK)`, which the plugin pytorch gives each pod.";
  launch.master_advice = "Write `$(MASTER_ADDR)`, which the plugin pytorch gives each pod.";
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Role role = read_role({tasks[i]["name"].text(), tasks[i]["template"], "", names}, launch);
    role.pods = count_of(tasks[i]["replicas"], 1);
    role.nodes = known && (role.name == master || role.name == worker) ? Fact<int>::of(sum, tasks.path()) : role.pods;
    role.leads = !pytorch.present() || role.name == master;
    launch.roles.push_back(std::move(role));
  }
  // Who asks for the plugin hands out ranks, whatever the image then starts.
  return pytorch.present() || trains(launch) ? std::optional(std::move(launch)) : std::nullopt;
}

}  // namespace rollcall::launch
