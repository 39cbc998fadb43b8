#include "launch/rules/nccl_env/settings.h"

#include <algorithm>

#include "launch/patch.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

using Entries = std::vector<const EnvEntry*>;

/// `${NAME}` is nothing to Kubernetes: a template that somebody fills in, with envsubst say, before he applies it.
const Text& filled_in(const Text& value) {
  static const Text kOpen = Text::open("it is filled in before the file is applied");
  return value.text.find("${") == std::string::npos ? value : kOpen;
}

Setting setting_of(const EnvEntry& entry) {
  static const std::string kNowhere;
  const bool in_env = !entry.path.empty() && entry.value_path != entry.path;
  return {entry.name, filled_in(entry.value), entry.value_path, in_env ? entry.path : kNowhere};
}

void add(const std::vector<EnvEntry>& from, Entries& to) {
  for (const EnvEntry& entry : from) to.push_back(&entry);
}

/// Whether the first entries of `later` have the names of `earlier`: none of those counts then.
bool repeats(const std::vector<EnvEntry>& later, const std::vector<EnvEntry>& earlier) {
  return later.size() >= earlier.size() &&
         std::equal(earlier.begin(), earlier.end(), later.begin(),
                    [](const EnvEntry& a, const EnvEntry& b) { return a.name == b.name; });
}

bool named_again(Entries::const_iterator one, Entries::const_iterator end) {
  return std::any_of(one + 1, end, [one](const EnvEntry* later) { return later->name == (*one)->name; });
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
  Entries entries;
  if (!only_exported(launch, role)) {
    // What reaches the launcher is the container's env and what its script sets besides, as a rule.
    if (!repeats(role.command.env, role.env)) add(role.env, entries);
    add(role.command.env, entries);
  }
  add(role.command.exported, entries);
  std::vector<Setting> settings;
  settings.reserve(entries.size());
  for (auto one = entries.cbegin(); one != entries.cend(); ++one)
    if (!named_again(one, entries.cend())) settings.push_back(setting_of(**one));
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
