#include "launch/rules/nccl_env/settings.h"

#include <algorithm>

#include "launch/patch.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// `${NAME}` is nothing to Kubernetes: a template that somebody fills in, with envsubst say, before he applies it.
Text filled_in(const Text& value) {
  return value.text.find("${") == std::string::npos ? value : Text::open("it is filled in before the file is applied");
}

void take(const EnvEntry& entry, std::vector<Setting>& settings) {
  std::erase_if(settings, [&entry](const Setting& one) { return one.name == entry.name; });
  const bool in_env = !entry.path.empty() && entry.value_path != entry.path;
  settings.push_back({entry.name, filled_in(entry.value), entry.value_path, in_env ? entry.path : ""});
}

/// Whether the ranks get only what mpirun hands over by -x.
bool only_exported(const Launch& launch, const Role& role) {
  if (launch.kind != JobKind::mpi_job || !launch.root["apiVersion"].text().ends_with("/v2beta1")) return false;
  if (!role.leads) return true;
  return role.command.launcher.known() && *role.command.launcher == "mpirun" &&
         role.command.program.find("hydra") == std::string::npos &&
         launch.root["spec"]["mpiImplementation"].text("OpenMPI") == "OpenMPI";
}

}  // namespace

std::vector<Setting> settings_of(const Launch& launch, const Role& role) {
  std::vector<Setting> settings;
  if (!only_exported(launch, role)) {
    for (const EnvEntry& entry : role.env) take(entry, settings);
    for (const EnvEntry& entry : role.command.env) take(entry, settings);
  }
  for (const EnvEntry& entry : role.command.exported) take(entry, settings);
  return settings;
}

const Setting* find(const std::vector<Setting>& settings, std::string_view name) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [name](const Setting& one) { return one.name == name; });
  return found == settings.end() ? nullptr : &*found;
}

bool several_nodes(const Launch& launch) {
  return std::any_of(launch.roles.begin(), launch.roles.end(),
                     [](const Role& role) { return several(role) || (role.nodes.known() && *role.nodes > 1); });
}

std::string without(const Setting& setting) { return setting.entry.empty() ? "" : remove_patch(setting.entry); }

std::string with_value(const Setting& setting, const std::string& value) {
  return setting.entry.empty() ? "" : add_patch(setting.path, value);
}

std::string with_name(const Setting& setting, const std::string& name) {
  return setting.entry.empty() ? "" : add_patch(setting.entry + ".name", name);
}

}  // namespace rollcall::launch::rules
