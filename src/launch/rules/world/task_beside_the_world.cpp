#include <algorithm>

#include "launch/rules/world/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field spec = launch.root["spec"];
  const Field tasks = spec["tasks"];
  if (!spec["plugins"]["pytorch"].present() || !launch.nodes_decided) return;
  // What stands in the command is not taken from the env.
  const bool reads = std::any_of(launch.roles.begin(), launch.roles.end(), [](const Role& role) {
    return role.nodes.known() && role.command.launcher.known() && *role.command.launcher == "none" &&
           role.told.master.given() && role.told.nodes.given() && !role.told.nodes.known();
  });
  if (!reads) return;
  for (std::size_t i = 0; i < launch.roles.size() && i < tasks.size(); ++i) {
    const Role& role = launch.roles[i];
    const bool node = role.nodes.path() == tasks.path();
    if (node || !role.pods.known() || *role.pods < 1) continue;
    judgement.add(world_task_beside_the_world, tasks[i].path())
        .wrong("the {} pods of `{}` are no ranks, but older releases of the plugin pytorch count them in WORLD_SIZE.",
               *role.pods, role.name)
        .instead("Make it a Job of its own, or be sure that Volcano counts master and worker alone.");
  }
}

}  // namespace

const Rule world_task_beside_the_world{
    .id = "world/task-beside-the-world",
    .severity = Severity::warn,
    .title = "a task that older releases count as nodes",
    .why =
        "The plugin pytorch gives WORLD_SIZE in pods. Releases before it counted master and worker alone took every "
        "task for nodes: a program that reads WORLD_SIZE then waits for ranks that do not exist.",
    .wrong = "plugins: {pytorch: []} with a third task, and python train.py",
    .right = "the third task in a Job of its own",
    .check = check,
    .kinds = {JobKind::volcano_job},
};

}  // namespace rollcall::launch::rules
