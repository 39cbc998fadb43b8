#include <algorithm>
#include <string>

#include "launch/patch.h"
#include "launch/rules/command_text.h"
#include "launch/rules/env/family.h"

namespace rollcall::launch::rules {
namespace {

/// The name of the pod's index that the launcher's command takes from the plugin env; empty when it takes none.
std::string index_used(const Role& role) {
  for (const char* name : {"VC_TASK_INDEX", "VK_TASK_INDEX"}) {
    const bool own =
        std::any_of(role.env.begin(), role.env.end(), [name](const EnvEntry& entry) { return entry.name == name; });
    if (own || mentions(role.container, std::string(name) + "=")) continue;
    if (role.told.rank_variable == name || mentions(role.container, "$(" + std::string(name) + ")")) return name;
  }
  return {};
}

void check(const Launch& launch, Judgement& judgement) {
  const Field plugins = launch.root["spec"]["plugins"];
  for (const Role& role : launch.roles) {
    if (!role.command.launcher.known() || role.container["envFrom"].present()) continue;
    const std::string word = plugins["env"].present() ? std::string() : index_used(role);
    // Frameworks bring svc along: pytorch, mpi, tensorflow, and maybe others.
    const bool svc = plugins.is_object() &&
                     std::any_of(plugins.json().items().begin(), plugins.json().items().end(),
                                 [](const auto& plugin) { return plugin.key() != "env" && plugin.key() != "ssh"; });
    const bool hosts = !svc && !role.container["volumeMounts"].present() && mentions(role.container, "/etc/volcano/");
    if (word.empty() && !hosts) continue;
    const char* plugin = word.empty() ? "svc" : "env";
    const std::string path = plugins.path();
    judgement.add(env_plugin_not_listed, path)
        .wrong("`{}` counts on {}, which only the plugin {} gives.", role.name, word.empty() ? "/etc/volcano" : word,
               plugin)
        .instead("Write plugins: {{{}: []}}.", plugin)
        .patch(plugins.is_object() ? add_patch(path + "." + plugin, nlohmann::json::array())
                                   : add_patch(path, {{plugin, nlohmann::json::array()}}));
    return;
  }
}

}  // namespace

const Rule env_plugin_not_listed{
    .id = "env/plugin-not-listed",
    .severity = Severity::deny,
    .title = "variables of a plugin that is not listed",
    .why =
        "Volcano gives VC_TASK_INDEX and VK_TASK_INDEX by its plugin env, the host lists VC_TASK_HOSTS and "
        "/etc/volcano by its plugin svc. Without the plugin they are not there, and the launcher gets an empty word or "
        "the name itself.",
    .wrong = "--node-rank=$(VC_TASK_INDEX) without plugins: {env: []}",
    .right = "the same with plugins: {env: [], svc: []}",
    .check = check,
    .kinds = {JobKind::volcano_job},
};

}  // namespace rollcall::launch::rules
